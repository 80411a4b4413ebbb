# The libraries libtrammel stands on, as one imported target `trammel::deps`; cairo, which only
# libtrammel_plot needs, is `trammel::cairo` (empty without it). Used by our own build and, installed
# beside trammel-config.cmake, by projects that link the static library.
#
# Sets: TRAMMEL_DEPS_FOUND
#       TRAMMEL_DEPS_MISSING   what was not found, in words
#       TRAMMEL_DEPS_LINK      link flags for the .pc file (static linking)
#       TRAMMEL_HAVE_CAIRO     whether cairo was found: optional, for diagrams as PNG
#       TRAMMEL_HAVE_IDA       whether SUNDIALS IDA is part of it: optional, for the regularized methods

set(TRAMMEL_DEPS_MISSING "")
set(TRAMMEL_DEPS_LINK "")
set(_trammel_libs "")
set(_trammel_includes "")

find_package(PkgConfig QUIET)

# libfyaml and HDF5 describe themselves to pkg-config. The serial HDF5 comes first: a parallel one drags MPI
# in.
foreach(_item "fyaml|libfyaml|libfyaml" "hdf5|hdf5-serial hdf5|HDF5 (C, serial)")
    string(REPLACE "|" ";" _item "${_item}")
    list(GET _item 0 _key)
    list(GET _item 1 _modules)
    list(GET _item 2 _words)
    string(REPLACE " " ";" _modules "${_modules}")
    if(PkgConfig_FOUND AND NOT TARGET PkgConfig::trammel_${_key})
        pkg_search_module(trammel_${_key} QUIET IMPORTED_TARGET GLOBAL ${_modules})
    endif()
    if(TARGET PkgConfig::trammel_${_key})
        list(APPEND _trammel_libs PkgConfig::trammel_${_key})
        list(JOIN trammel_${_key}_LDFLAGS " " _flags)
        string(APPEND TRAMMEL_DEPS_LINK " ${_flags}")
    elseif(_key STREQUAL "hdf5")
        find_package(HDF5 QUIET COMPONENTS C)  # an HDF5 without .pc file
        if(HDF5_FOUND)
            list(APPEND _trammel_libs ${HDF5_C_LIBRARIES})
            list(APPEND _trammel_includes ${HDF5_C_INCLUDE_DIRS})
            list(JOIN HDF5_C_LIBRARIES " " _flags)
            string(APPEND TRAMMEL_DEPS_LINK " ${_flags}")
        else()
            list(APPEND TRAMMEL_DEPS_MISSING "${_words}")
        endif()
    else()
        list(APPEND TRAMMEL_DEPS_MISSING "${_words}")
    endif()
endforeach()

# SuiteSparse: Debian's 5.x has no usable package file, so look for the parts themselves.
find_path(TRAMMEL_SUITESPARSE_INCLUDE klu.h PATH_SUFFIXES suitesparse)
mark_as_advanced(TRAMMEL_SUITESPARSE_INCLUDE)
if(TRAMMEL_SUITESPARSE_INCLUDE)
    list(APPEND _trammel_includes ${TRAMMEL_SUITESPARSE_INCLUDE})
else()
    list(APPEND TRAMMEL_DEPS_MISSING "SuiteSparse headers (klu.h)")
endif()
foreach(_part klu btf colamd amd camd suitesparseconfig)
    find_library(TRAMMEL_${_part}_LIBRARY ${_part})
    mark_as_advanced(TRAMMEL_${_part}_LIBRARY)
    if(TRAMMEL_${_part}_LIBRARY)
        list(APPEND _trammel_libs ${TRAMMEL_${_part}_LIBRARY})
        string(APPEND TRAMMEL_DEPS_LINK " -l${_part}")
    else()
        list(APPEND TRAMMEL_DEPS_MISSING "SuiteSparse lib${_part}")
    endif()
endforeach()

find_package(LAPACK QUIET)
if(LAPACK_FOUND)
    list(APPEND _trammel_libs ${LAPACK_LIBRARIES})
    list(JOIN LAPACK_LIBRARIES " " _flags)
    string(APPEND TRAMMEL_DEPS_LINK " ${_flags}")
else()
    list(APPEND TRAMMEL_DEPS_MISSING "BLAS and LAPACK (OpenBLAS)")
endif()

# cairo draws diagrams as PNG. Our own build does without if it is not found or TRAMMEL_CAIRO is off; an
# installed static library needs it if it was built with it (trammel-config.cmake sets TRAMMEL_NEEDS_CAIRO).
set(TRAMMEL_HAVE_CAIRO OFF)
if(NOT DEFINED TRAMMEL_NEEDS_CAIRO)
    option(TRAMMEL_CAIRO "Write diagrams as PNG, if cairo is found" ON)
endif()
if(PkgConfig_FOUND AND (TRAMMEL_NEEDS_CAIRO OR (NOT DEFINED TRAMMEL_NEEDS_CAIRO AND TRAMMEL_CAIRO)))
    if(NOT TARGET PkgConfig::trammel_cairo)
        pkg_search_module(trammel_cairo QUIET IMPORTED_TARGET GLOBAL cairo)
    endif()
    if(TARGET PkgConfig::trammel_cairo)
        set(TRAMMEL_HAVE_CAIRO ON)
    endif()
endif()
if(TRAMMEL_NEEDS_CAIRO AND NOT TRAMMEL_HAVE_CAIRO)
    list(APPEND TRAMMEL_DEPS_MISSING "cairo")
endif()

# IDA of SUNDIALS integrates regularized equations (baumgarte, trust-region, direct-reg, tml_hessenberg).
# Optional in the same way: TRAMMEL_IDA, and TRAMMEL_NEEDS_IDA of an installed library. The linear algebra is
# ours; the core part is a library of its own from SUNDIALS 7 on.
set(TRAMMEL_HAVE_IDA OFF)
if(NOT DEFINED TRAMMEL_NEEDS_IDA)
    option(TRAMMEL_IDA "Integrate regularized equations, if SUNDIALS IDA is found" ON)
endif()
if(TRAMMEL_NEEDS_IDA OR (NOT DEFINED TRAMMEL_NEEDS_IDA AND TRAMMEL_IDA))
    find_path(TRAMMEL_SUNDIALS_INCLUDE ida/ida.h)
    find_library(TRAMMEL_sundials_ida_LIBRARY sundials_ida)
    find_library(TRAMMEL_sundials_nvecserial_LIBRARY sundials_nvecserial)
    find_library(TRAMMEL_sundials_core_LIBRARY sundials_core)
    mark_as_advanced(TRAMMEL_SUNDIALS_INCLUDE TRAMMEL_sundials_ida_LIBRARY TRAMMEL_sundials_nvecserial_LIBRARY
        TRAMMEL_sundials_core_LIBRARY)
    if(TRAMMEL_SUNDIALS_INCLUDE AND TRAMMEL_sundials_ida_LIBRARY AND TRAMMEL_sundials_nvecserial_LIBRARY)
        set(TRAMMEL_HAVE_IDA ON)
        list(APPEND _trammel_includes ${TRAMMEL_SUNDIALS_INCLUDE})
        foreach(_part ida nvecserial core)
            if(TRAMMEL_sundials_${_part}_LIBRARY)
                list(APPEND _trammel_libs ${TRAMMEL_sundials_${_part}_LIBRARY})
                string(APPEND TRAMMEL_DEPS_LINK " -lsundials_${_part}")
            endif()
        endforeach()
    endif()
endif()
if(TRAMMEL_NEEDS_IDA AND NOT TRAMMEL_HAVE_IDA)
    list(APPEND TRAMMEL_DEPS_MISSING "SUNDIALS (IDA)")
endif()

find_package(Threads QUIET)
if(Threads_FOUND)
    list(APPEND _trammel_libs Threads::Threads)
    string(APPEND TRAMMEL_DEPS_LINK " ${CMAKE_THREAD_LIBS_INIT}")
else()
    list(APPEND TRAMMEL_DEPS_MISSING "POSIX threads")
endif()

if(UNIX)
    list(APPEND _trammel_libs m)
    string(APPEND TRAMMEL_DEPS_LINK " -lm")
endif()
string(STRIP "${TRAMMEL_DEPS_LINK}" TRAMMEL_DEPS_LINK)

if(TRAMMEL_DEPS_MISSING)
    set(TRAMMEL_DEPS_FOUND FALSE)
else()
    set(TRAMMEL_DEPS_FOUND TRUE)
    if(NOT TARGET trammel::cairo)
        add_library(trammel::cairo INTERFACE IMPORTED GLOBAL)
        if(TRAMMEL_HAVE_CAIRO)
            set_target_properties(trammel::cairo PROPERTIES INTERFACE_LINK_LIBRARIES PkgConfig::trammel_cairo)
        endif()
    endif()
    if(NOT TARGET trammel::deps)
        add_library(trammel::deps INTERFACE IMPORTED GLOBAL)
        set_target_properties(trammel::deps PROPERTIES
            INTERFACE_LINK_LIBRARIES "${_trammel_libs}"
            INTERFACE_INCLUDE_DIRECTORIES "${_trammel_includes}")
    endif()
endif()
