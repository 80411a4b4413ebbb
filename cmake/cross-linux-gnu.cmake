# Build for Linux on another kind of processor, with Debian's cross compiler and the libraries that
# scripts/cross-sysroot unpacks; programs run under qemu. Used by scripts/test-cross.
# In: TRAMMEL_CROSS_PROCESSOR, x86_64 or aarch64; TRAMMEL_CROSS_SYSROOT, the folder of the libraries.

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TRAMMEL_CROSS_PROCESSOR TRAMMEL_CROSS_SYSROOT)
set(trammel_triplet ${TRAMMEL_CROSS_PROCESSOR}-linux-gnu)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${TRAMMEL_CROSS_PROCESSOR})
set(CMAKE_C_COMPILER ${trammel_triplet}-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${trammel_triplet})

set(CMAKE_SYSROOT "${TRAMMEL_CROSS_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH "${TRAMMEL_CROSS_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(trammel_usr "${TRAMMEL_CROSS_SYSROOT}/usr")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${TRAMMEL_CROSS_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
    "${trammel_usr}/lib/${trammel_triplet}/pkgconfig:${trammel_usr}/share/pkgconfig")

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${TRAMMEL_CROSS_PROCESSOR} -L "${TRAMMEL_CROSS_SYSROOT}")
