# What every translation unit of ours is compiled with: the target trammel_flags. TRAMMEL_AVX2: the compiler
# has the kernels for AVX2 and FMA.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")

# Products and sums are not fused: gcc does not under -std=c17, clang does where the machine can, and a
# formula should not change its last bit with the compiler.
add_library(trammel_flags INTERFACE)
target_compile_definitions(trammel_flags INTERFACE TRAMMEL_VERSION="${PROJECT_VERSION}")
target_compile_options(trammel_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off $<$<BOOL:${TRAMMEL_WERROR}>:-Werror>)
target_include_directories(trammel_flags INTERFACE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_link_options(trammel_flags INTERFACE $<$<PLATFORM_ID:Linux>:-Wl,--as-needed>)
if(TRAMMEL_VARY_CONSTANTS)
    target_compile_definitions(trammel_flags INTERFACE TRAMMEL_VARY_CONSTANTS)
endif()
set(_sanitize "${TRAMMEL_SANITIZE}")
if(TRAMMEL_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "TRAMMEL_FUZZ needs clang (CC=clang)")
    endif()
    target_compile_definitions(trammel_flags INTERFACE FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
    if(TRAMMEL_FUZZ_FAST)
        # twenty times as many executions; what they find is replayed with the sanitizers
        target_compile_options(trammel_flags INTERFACE
            -fsanitize-coverage=inline-8bit-counters,pc-table -fsanitize=undefined -fsanitize-trap=undefined)
    else()
        target_compile_options(trammel_flags INTERFACE -fsanitize=fuzzer-no-link)
        set(_sanitize "address,undefined")
    endif()
endif()
if(_sanitize)
    target_compile_options(trammel_flags INTERFACE
        -O1 -fsanitize=${_sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(trammel_flags INTERFACE -fsanitize=${_sanitize})
endif()

# Kernels for AVX2 and FMA, beside those for all x86-64 processors; chosen at run time.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS "-mavx2 -mfma")
check_c_source_compiles("#include <immintrin.h>
int main(void) { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\"); }" TRAMMEL_AVX2)
unset(CMAKE_REQUIRED_FLAGS)

# trammel_link_map(<target> [<folder>/]): the linker writes FOLDER/FILE.map, which says what it took from
# which archive; scripts/sbom reads it.
function(trammel_link_map target)
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT TRAMMEL_SANITIZE)
        target_link_options(${target} PRIVATE
            "-Wl,-Map=${PROJECT_BINARY_DIR}/${ARGN}$<TARGET_FILE_NAME:${target}>.map")
    endif()
endfunction()
