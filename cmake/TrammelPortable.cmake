# What scripts/packages packs for machines without our libraries (TRAMMEL_PORTABLE): in the folder `portable`,
# `trammel`, a command that is linked statically, and libtrammel.so, the libraries of the Python package in
# one, on nothing but libc and libm. As in libtrammel_core all else comes from the archives of the
# distribution, HDF5, ARPACK and expat among them, and in the command cairo: below it is pixman, whose archive
# has variables of threads that only programs can have. MPI, and NLopt, which Debian has as a shared library
# only, are part of neither. Needs TrammelCore.cmake.
if(NOT TRAMMEL_HAVE_CORE)
    message(FATAL_ERROR "TRAMMEL_PORTABLE needs the archives of libtrammel_core")
endif()
foreach(_have ARPACK EXPAT CAIRO IDA VIEWER)
    if(NOT TRAMMEL_HAVE_${_have})
        message(FATAL_ERROR "TRAMMEL_PORTABLE: built without ${_have}; see scripts/install-deps --packages")
    endif()
endforeach()

# In the order in which they need each other, and what the optional parts stand on.
set(_portable_archives "")
foreach(_name hdf5_serial sz aec arpack cairo pixman-1 fontconfig freetype expat png16 z brotlidec
        brotlicommon uuid)
    find_library(TRAMMEL_PORTABLE_${_name} NAMES lib${_name}.a)
    mark_as_advanced(TRAMMEL_PORTABLE_${_name})
    if(NOT TRAMMEL_PORTABLE_${_name})
        message(FATAL_ERROR "TRAMMEL_PORTABLE: no lib${_name}.a; see scripts/install-deps --packages")
    endif()
    list(APPEND _portable_archives "${TRAMMEL_PORTABLE_${_name}}")
endforeach()

# load/alone in the place of modules: none are loaded, but FMUs stand beside the command.
set(_portable_alone $<FILTER:$<TARGET_OBJECTS:trammel_load_alone>,EXCLUDE,/shared_[^/]*\\.c>
    $<FILTER:$<TARGET_OBJECTS:trammel_load>,INCLUDE,/place\\.c>)
add_library(trammel_portable_no_png OBJECT "${PROJECT_SOURCE_DIR}/src/view/png/png.c")  # without cairo
target_link_libraries(trammel_portable_no_png PRIVATE trammel_flags)

# trammel_portable_link(<target> <options>...): link with the archives
function(trammel_portable_link target)
    target_link_libraries(${target} PRIVATE trammel_flags ${_portable_archives} ${_core_archives} m)
    target_link_options(${target} PRIVATE -Wl,--gc-sections -Wl,--build-id=none -Wl,-s ${ARGN})
    trammel_link_map(${target} portable/)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME trammel
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/portable"
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/portable")
endfunction()

set(_portable_sources ${TRAMMEL_COMMAND_SOURCES})
list(FILTER _portable_sources EXCLUDE REGEX "/cli/routines\\.c$")
add_executable(trammel_portable_command ${_portable_sources} ${TRAMMEL_OBJECTS} ${_command_view}
    $<TARGET_OBJECTS:trammel_view_plot> $<TARGET_OBJECTS:trammel_view_png> ${_portable_alone})
target_include_directories(trammel_portable_command PRIVATE "${PROJECT_SOURCE_DIR}"
    $<TARGET_PROPERTY:trammel::deps,INTERFACE_INCLUDE_DIRECTORIES>)
trammel_portable_link(trammel_portable_command -static-pie)
add_dependencies(trammel_portable_command trammel_command)  # it makes the templates

add_library(trammel_portable_library SHARED ${TRAMMEL_OBJECTS} ${_view} ${_portable_alone}
    $<TARGET_OBJECTS:trammel_view_plot> $<TARGET_OBJECTS:trammel_portable_no_png>
    $<FILTER:$<TARGET_OBJECTS:trammel_load_alone>,INCLUDE,/shared_[^/]*\\.c>)
trammel_portable_link(trammel_portable_library -static-libgcc -Wl,--no-undefined
    -Wl,--wrap=stdin,--wrap=stdout,--wrap=stderr
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/core.map)
add_custom_target(portable DEPENDS trammel_portable_command trammel_portable_library)
