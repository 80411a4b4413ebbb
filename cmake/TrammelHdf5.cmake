# The static library of HDF5: TRAMMEL_HDF5_MODULE_STATIC, TRAMMEL_HDF5_COMMAND_STATIC are what module and
# command link with, or empty.
#
# Debian's shared HDF5 brings forty libraries, those of its access to the web; loading them takes longer than
# to run a small model. The static one brings what is used. It links into the command, and into the module of
# the shared libraries where its code is independent of its position.
set(TRAMMEL_HDF5_MODULE_STATIC "")
set(TRAMMEL_HDF5_COMMAND_STATIC "")
if(TRAMMEL_HDF5_ARCHIVE AND TRAMMEL_MODULE_LIST AND TARGET PkgConfig::trammel_hdf5 AND NOT TRAMMEL_SANITIZE)
    include(CheckCSourceCompiles)
    find_library(TRAMMEL_HDF5_STATIC_LIBRARY NAMES libhdf5_serial.a libhdf5.a
        HINTS ${trammel_hdf5_STATIC_LIBRARY_DIRS})
    mark_as_advanced(TRAMMEL_HDF5_STATIC_LIBRARY)
    # trammel_try_hdf5(<module or command> <needs> <link options>...): set TRAMMEL_HDF5_..._STATIC if HDF5
    # links, with what its compression of data needs.
    function(trammel_try_hdf5 part needs)
        set(_behind "")
        foreach(_need IN LISTS needs)
            find_library(TRAMMEL_HDF5_${part}_${_need} ${_need})
            mark_as_advanced(TRAMMEL_HDF5_${part}_${_need})
            if(TRAMMEL_HDF5_${part}_${_need})
                list(APPEND _behind ${TRAMMEL_HDF5_${part}_${_need}})
            endif()
        endforeach()
        set(CMAKE_REQUIRED_INCLUDES ${trammel_hdf5_INCLUDE_DIRS})
        set(CMAKE_REQUIRED_FLAGS -fPIC)
        set(CMAKE_REQUIRED_LINK_OPTIONS ${ARGN} -Wl,--as-needed)
        set(CMAKE_REQUIRED_LIBRARIES ${TRAMMEL_HDF5_STATIC_LIBRARY} ${_behind} m ${CMAKE_DL_LIBS})
        check_c_source_compiles("
            #include <hdf5.h>
            int main(int argc, char **argv)
            {
                return argc > 0 && H5Fcreate(argv[0], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) > 0;
            }"
            TRAMMEL_HDF5_${part}_LINKS)
        if(TRAMMEL_HDF5_${part}_LINKS)
            set(TRAMMEL_HDF5_${part}_STATIC ${CMAKE_REQUIRED_LIBRARIES} PARENT_SCOPE)
        endif()
    endfunction()
    if(TRAMMEL_HDF5_STATIC_LIBRARY)
        trammel_try_hdf5(MODULE "sz;aec;z"
            -shared -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -Wl,--no-undefined)
        trammel_try_hdf5(COMMAND "libsz.a;libaec.a;libz.a")
    endif()
endif()
