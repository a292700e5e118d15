# nvcc, for OUTRIDER_CUDA: the one on the PATH or named by CMAKE_CUDA_COMPILER, else NVIDIA's usual place, else what scripts/setup cuda
# unpacked. Makes the target outrider_cuda_options with the flags of all sources that nvcc compiles.
if(NOT CMAKE_CUDA_COMPILER)
  find_program(OUTRIDER_NVCC nvcc PATHS /usr/local/cuda/bin ${PROJECT_SOURCE_DIR}/third_party/cuda/bin)
  if(NOT OUTRIDER_NVCC)
    message(FATAL_ERROR "OUTRIDER_CUDA needs nvcc, and there is none: run scripts/setup cuda")
  endif()
  set(CMAKE_CUDA_COMPILER ${OUTRIDER_NVCC})
endif()
set(CMAKE_CUDA_ARCHITECTURES OFF) # they are among the flags below: CMake 3.25 does not know them all
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
# The host's part of a source that nvcc compiles is found again, and so is nvcc's.
if(CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
  message(FATAL_ERROR "OUTRIDER_CUDA needs nvcc 12.8 or later, and ${CMAKE_CUDA_COMPILER} is ${CMAKE_CUDA_COMPILER_VERSION}: "
    "take it from the PATH and run scripts/setup cuda")
endif()
# CMake 3.25 does not know how to ask nvcc for the standard of all our sources.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
find_package(CUDAToolkit REQUIRED)

add_library(outrider_cuda_options INTERFACE)
target_include_directories(outrider_cuda_options INTERFACE ${PROJECT_SOURCE_DIR})
set(flags
  # Machine code for A100 and its kin and for H100, and what later cards can translate.
  -gencode=arch=compute_80,code=sm_80
  -gencode=arch=compute_90a,code=sm_90a
  -gencode=arch=compute_90,code=compute_90
  # As on processors, every fused multiply-add is written out.
  -fmad=false
  --expt-relaxed-constexpr
  --threads=2 # a kind of card each
  -Xcompiler=-Wall,-Wextra,-ffp-contract=off)
target_compile_options(outrider_cuda_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${flags}>")
