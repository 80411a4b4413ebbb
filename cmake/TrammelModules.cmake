# Modules (src/load/module.h): shared objects that stand on a large library and are loaded when they are
# needed, in TRAMMEL_MODULE_FOLDER beside the libraries. Sets TRAMMEL_MODULE_TARGETS,
# TRAMMEL_HAVE_MPI, TRAMMEL_HAVE_NLOPT.

# trammel_module(<name> [SOURCES ...] [LIBRARIES ...]): src/load/modules/<name>.c as NAME.so
function(trammel_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
    add_library(trammel_module_${name} MODULE
        "${PROJECT_SOURCE_DIR}/src/load/modules/${name}.c" ${arg_SOURCES})
    set_target_properties(trammel_module_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX ".so"
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${TRAMMEL_MODULE_FOLDER}")
    target_link_libraries(trammel_module_${name} PRIVATE trammel_flags ${arg_LIBRARIES})
    if(name STREQUAL "hdf5")
        trammel_link_map(trammel_module_${name})
    endif()
    set(TRAMMEL_MODULE_TARGETS ${TRAMMEL_MODULE_TARGETS} trammel_module_${name} PARENT_SCOPE)
endfunction()

# Rooms of the library
foreach(_module IN LISTS TRAMMEL_MODULE_LIST)
    string(REPLACE "|" ";" _module "${_module}")
    list(POP_FRONT _module _name _room _library)
    trammel_room(_objects ${_room})
    set(_static "")
    if(_name STREQUAL "hdf5")  # before the shared library: that is not needed then
        set(_static ${TRAMMEL_HDF5_MODULE_STATIC})
    endif()
    trammel_module(${_name} SOURCES $<TARGET_OBJECTS:${_objects}> LIBRARIES
        ${_static} $<$<STREQUAL:${_name},png>:trammel_plot_static> trammel_static ${_library})
    target_link_options(trammel_module_${_name} PRIVATE -Wl,--exclude-libs,ALL)
    if(_static)
        target_link_options(trammel_module_${_name} PRIVATE -Wl,--as-needed -Wl,-Bsymbolic)
    endif()
    if(NOT TRAMMEL_SANITIZE)
        target_link_options(trammel_module_${_name} PRIVATE -Wl,--no-undefined)
    endif()
endforeach()

# Modules of the command alone. MPI, for studies on many processes, is loaded when mpirun has started it;
# NLopt is for studies that search an optimum.
foreach(_name MPI NLOPT)
    set(TRAMMEL_HAVE_${_name} OFF)
    if(NOT TRAMMEL_MODULE_LIST OR NOT PkgConfig_FOUND OR NOT TRAMMEL_${_name})
        continue()
    endif()
    string(TOLOWER ${_name} _module)
    set(_packages ompi-c mpich)
    if(_name STREQUAL "NLOPT")
        set(_packages nlopt)
    endif()
    pkg_search_module(trammel_${_module} QUIET IMPORTED_TARGET ${_packages})
    if(TARGET PkgConfig::trammel_${_module})
        set(TRAMMEL_HAVE_${_name} ON)
        trammel_module(${_module} LIBRARIES trammel_static PkgConfig::trammel_${_module})
        target_link_options(trammel_module_${_module} PRIVATE -Wl,--exclude-libs,libtrammel.a)
    endif()
endforeach()
message(STATUS "Studies on many processes (MPI): ${TRAMMEL_HAVE_MPI}")
message(STATUS "Studies that search an optimum (NLopt): ${TRAMMEL_HAVE_NLOPT}")

# LAPACK, with the many addresses of OpenBLAS, and KLU, on four libraries.
if(TRAMMEL_MODULE_LIST)
    trammel_module(lapack LIBRARIES ${LAPACK_LIBRARIES})
    trammel_module(klu LIBRARIES ${TRAMMEL_klu_LIBRARY})
    target_include_directories(trammel_module_klu SYSTEM PRIVATE ${TRAMMEL_SUITESPARSE_INCLUDE})
endif()
