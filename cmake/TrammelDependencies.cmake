# The libraries libtrammel stands on, as one imported target `trammel::deps`. Used by our own build and, installed
# beside trammel-config.cmake, by projects that link the static library.
#
# Sets: TRAMMEL_DEPS_FOUND
#       TRAMMEL_DEPS_MISSING   what was not found, in words
#       TRAMMEL_DEPS_LINK      link flags for the .pc file (static linking)

set(TRAMMEL_DEPS_MISSING "")
set(TRAMMEL_DEPS_LINK "")
set(_trammel_libs "")
set(_trammel_includes "")

find_package(PkgConfig QUIET)

# libfyaml and HDF5 describe themselves to pkg-config. The serial HDF5 comes first: a parallel one drags MPI in.
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

if(UNIX)
    list(APPEND _trammel_libs m)
    string(APPEND TRAMMEL_DEPS_LINK " -lm")
endif()
string(STRIP "${TRAMMEL_DEPS_LINK}" TRAMMEL_DEPS_LINK)

if(TRAMMEL_DEPS_MISSING)
    set(TRAMMEL_DEPS_FOUND FALSE)
else()
    set(TRAMMEL_DEPS_FOUND TRUE)
    if(NOT TARGET trammel::deps)
        add_library(trammel::deps INTERFACE IMPORTED GLOBAL)
        set_target_properties(trammel::deps PROPERTIES
            INTERFACE_LINK_LIBRARIES "${_trammel_libs}"
            INTERFACE_INCLUDE_DIRECTORIES "${_trammel_includes}")
    endif()
endif()
