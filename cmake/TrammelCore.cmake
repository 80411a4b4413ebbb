# libtrammel_core: everything that a run needs in one library that needs nothing but libc and libm. LAPACK,
# BLAS, KLU, the YAML reader and IDA come from the archives of the distribution; there are no modules, so no
# HDF5, ARPACK, expat, cairo, MPI and NLopt. fmu-PROCESSOR.so, in the folder of modules, is the same with the
# functions of FMI; `trammel fmu` puts it into archives. Sets TRAMMEL_HAVE_CORE and TRAMMEL_CORE_TARGETS.
#
# LAPACK and BLAS are those of the reference: a megabyte in place of the 26 of OpenBLAS with its kernels
# for all processors, the same bits on each of them, and models in co-simulation call little of it.
set(TRAMMEL_HAVE_CORE OFF)
set(TRAMMEL_CORE_TARGETS "")
set(_core_archives "")
set(_core_missing "")
set(_core_parts libfyaml.a libklu.a libbtf.a libcolamd.a libamd.a libcamd.a libsuitesparseconfig.a)
if(TRAMMEL_HAVE_IDA)
    list(APPEND _core_parts libsundials_ida.a libsundials_nvecserial.a)
endif()
foreach(_part IN LISTS _core_parts ITEMS lapack/liblapack.a blas/libblas.a)
    cmake_path(GET _part STEM _name)
    cmake_path(GET _part FILENAME _file)
    cmake_path(GET _part PARENT_PATH _folder)
    # OpenBLAS has archives of the same names, beside the folders of the reference
    if(_folder)
        find_library(TRAMMEL_CORE_${_name} NAMES ${_part})
    else()
        find_library(TRAMMEL_CORE_${_name} NAMES ${_file})
    endif()
    mark_as_advanced(TRAMMEL_CORE_${_name})
    if(TRAMMEL_CORE_${_name})
        list(APPEND _core_archives "${TRAMMEL_CORE_${_name}}")
    else()
        list(APPEND _core_missing ${_part})
    endif()
endforeach()
if(TRAMMEL_sundials_core_LIBRARY)  # from SUNDIALS 7 on
    find_library(TRAMMEL_CORE_libsundials_core NAMES libsundials_core.a)
    mark_as_advanced(TRAMMEL_CORE_libsundials_core)
    if(TRAMMEL_CORE_libsundials_core)
        list(APPEND _core_archives "${TRAMMEL_CORE_libsundials_core}")
    else()
        list(APPEND _core_missing libsundials_core.a)
    endif()
endif()

if(NOT _core_missing AND NOT TRAMMEL_SANITIZE AND NOT TRAMMEL_FUZZ AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(TRAMMEL_HAVE_CORE ON)
    set(_core_objects $<TARGET_OBJECTS:trammel_load_alone> $<TARGET_OBJECTS:trammel_load_core>)
    foreach(room IN LISTS TRAMMEL_ROOMS)
        trammel_room(target ${room})
        if(NOT TARGET ${target} OR room IN_LIST TRAMMEL_EXTRA_ROOMS OR room STREQUAL "result/hdf5"
                OR (room STREQUAL "linalg/eigen" AND TRAMMEL_HAVE_ARPACK)
                OR (room STREQUAL "import/xml" AND TRAMMEL_HAVE_EXPAT))
            continue()  # in its place: load/core, whose modules load/alone does not find
        endif()
        list(APPEND _core_objects $<TARGET_OBJECTS:${target}>)
    endforeach()

    # trammel_alone(<target> <version script>): link with the archives alone. Their objects are no code for
    # shared libraries where they name the streams of libc: these become variables of load/alone.
    function(trammel_alone target script)
        target_link_libraries(${target} PRIVATE ${_core_archives} m trammel_flags)
        target_link_options(${target} PRIVATE -static-libgcc
            -Wl,--wrap=stdin,--wrap=stdout,--wrap=stderr -Wl,--no-undefined -Wl,--gc-sections
            -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/${script}
            -Wl,--build-id=none $<$<CONFIG:Release>:-Wl,-s>)
        trammel_link_map(${target})
        set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C
            LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/${script}")
    endfunction()

    add_library(trammel_core_shared SHARED ${_core_objects})
    set_target_properties(trammel_core_shared PROPERTIES OUTPUT_NAME trammel_core VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    trammel_alone(trammel_core_shared core.map)
    add_library(trammel_core_static STATIC ${_core_objects})
    set_target_properties(trammel_core_static PROPERTIES OUTPUT_NAME trammel_core LINKER_LANGUAGE C)
    target_link_libraries(trammel_core_static INTERFACE ${_core_archives} m)

    add_library(trammel_fmu MODULE ${_core_objects} $<TARGET_OBJECTS:trammel_fmu_unit>)
    set_target_properties(trammel_fmu PROPERTIES PREFIX "" SUFFIX ".so"
        OUTPUT_NAME "fmu-${CMAKE_SYSTEM_PROCESSOR}"
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${TRAMMEL_MODULE_FOLDER}")
    trammel_alone(trammel_fmu fmu.map)
    set(TRAMMEL_CORE_TARGETS trammel_core_shared trammel_core_static trammel_fmu)
elseif(_core_missing)
    list(JOIN _core_missing ", " _words)
    message(STATUS "No libtrammel_core and no FMUs without these archives: ${_words}")
endif()
message(STATUS "Core that needs nothing else, FMUs: ${TRAMMEL_HAVE_CORE}")
