# Build for x86-64 Linux on a machine of another kind, with Debian's cross compiler and the libraries that
# scripts/x86-sysroot unpacks; programs run under qemu. Used by scripts/test-x86.
# In: TRAMMEL_X86_SYSROOT, the folder of the libraries; TRAMMEL_X86_CPU, the processor to imitate.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TRAMMEL_X86_SYSROOT)
set(CMAKE_SYSROOT "${TRAMMEL_X86_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH "${TRAMMEL_X86_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${TRAMMEL_X86_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
    "${TRAMMEL_X86_SYSROOT}/usr/lib/x86_64-linux-gnu/pkgconfig:${TRAMMEL_X86_SYSROOT}/usr/share/pkgconfig")

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-x86_64 -L "${TRAMMEL_X86_SYSROOT}")
