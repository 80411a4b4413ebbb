# The page of `trammel view`, bundled from web/ by esbuild and compiled into the library. Its packages come
# from npm with `make deps`; building needs no network. Without them all but this command is there.
set(_viewer "${PROJECT_BINARY_DIR}/viewer.c")
find_program(TRAMMEL_NODE NAMES node nodejs)
mark_as_advanced(TRAMMEL_NODE)
set(TRAMMEL_HAVE_VIEWER ON)
foreach(_package esbuild three uplot)
    if(NOT TRAMMEL_NODE OR NOT EXISTS "${PROJECT_SOURCE_DIR}/web/node_modules/${_package}/package.json")
        set(TRAMMEL_HAVE_VIEWER OFF)
    endif()
endforeach()
if(TRAMMEL_HAVE_VIEWER)
    file(GLOB _web CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/web/src/*")
    add_custom_command(OUTPUT "${_viewer}"
        COMMAND "${TRAMMEL_NODE}" build.mjs "${_viewer}"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/web"
        DEPENDS ${_web} "${PROJECT_SOURCE_DIR}/web/build.mjs" "${PROJECT_SOURCE_DIR}/web/package-lock.json"
        COMMENT "Bundling the viewer" VERBATIM)
else()
    set(_viewer "${PROJECT_BINARY_DIR}/no_viewer.c")
    file(CONFIGURE OUTPUT "${_viewer}" CONTENT
"#include \"view/page/page.h\"
const unsigned char tmli_viewer_page[] = {0};
const size_t tmli_viewer_page_size = 0;
")
endif()
target_sources(trammel_view_page PRIVATE "${_viewer}")
message(STATUS "Viewer (node.js, npm packages in web/): ${TRAMMEL_HAVE_VIEWER}")
