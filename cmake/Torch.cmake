# Torch::Torch: LibTorch for the CPU, from the wheel that scripts/setup unpacks. find_package(Torch)
# of that wheel would ask for a whole CUDA toolkit; these libraries need none of it.
set(torch_root ${PROJECT_SOURCE_DIR}/third_party)
if(NOT EXISTS ${torch_root}/complete)
  message(FATAL_ERROR
    "LibTorch is not in ${torch_root}: run scripts/setup, or leave train/ out with -DOUTRIDER_TORCH=OFF")
endif()

if(NOT EXISTS ${torch_root}/gloo/include/gloo)
  message(FATAL_ERROR "Gloo's headers are not in ${torch_root}/gloo/include: run scripts/setup torch")
endif()

add_library(torch_c10 SHARED IMPORTED)
set_target_properties(torch_c10 PROPERTIES IMPORTED_LOCATION ${torch_root}/torch/lib/libc10.so)

add_library(Torch::Torch SHARED IMPORTED)
set_target_properties(Torch::Torch PROPERTIES
  IMPORTED_LOCATION ${torch_root}/torch/lib/libtorch_cpu.so
  INTERFACE_INCLUDE_DIRECTORIES
    "${torch_root}/torch/include;${torch_root}/torch/include/torch/csrc/api/include"
  INTERFACE_LINK_LIBRARIES torch_c10
  # The library was linked against parts of CUDA that the CPU never calls and that are not there.
  INTERFACE_LINK_OPTIONS "LINKER:--unresolved-symbols=ignore-in-shared-libs")
