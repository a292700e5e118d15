# One INTERFACE target carries our flags and is linked PRIVATE by our targets, so that foreign
# headers are not compiled under them.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What is compiled is found again from any folder that the repository is cloned to, with precompiled headers too.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_SLOPPINESS=pch_defines,time_macros
    ${CCACHE_PROGRAM})
endif()

# A sanitized program has 150 MB; lld links it in a quarter of the time.
find_program(OUTRIDER_LLD ld.lld)
if(OUTRIDER_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()

add_library(outrider_options INTERFACE)
target_include_directories(outrider_options INTERFACE ${PROJECT_SOURCE_DIR})
# -ffp-contract=off: every fused multiply-add that reaches the output is written out, so that the
# bits of a row do not depend on what a compiler happens to fuse.
target_compile_options(outrider_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off
  # __FILE__ and debug information name files as here, so that what is compiled does not depend on where that is.
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
  # GCC 12 sees overlaps in std::string that are not there (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${OUTRIDER_WERROR}>:-Werror>>)

if(OUTRIDER_SANITIZE)
  # One build for the tests and for fuzzing. What is FUZZED counts its edges for libFuzzer, whose main only the fuzz
  # targets link; elsewhere that would cost a third of the compile time for nothing.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  set(OUTRIDER_COUNT_EDGES -fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=address,undefined)
endif()

if(OUTRIDER_RACES)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()

# For the sources that are chosen at run time by what the processor has. g++ 12 takes the undefined
# operand inside its own AVX-512 intrinsics for a mistake of ours.
set(OUTRIDER_AVX2 -mavx2 -mfma -mf16c)
set(OUTRIDER_AVX512 ${OUTRIDER_AVX2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND OUTRIDER_AVX512 -Wno-maybe-uninitialized -Wno-uninitialized)
endif()
