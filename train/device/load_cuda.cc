#include "train/device/load_cuda.h"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <fmt/core.h>
#include <torch/version.h>

#include <cstdlib>
#include <exception>

namespace outrider::train {
namespace {

// cuBLAS gives the same bits in every run only with a workspace of a fixed size, which it is told before it starts.
constexpr const char* kWorkspace = ":4096:8";

std::string cannot_be_loaded(const std::string& library) {
  const char* const reason = dlerror();
  return fmt::format(
      "LibTorch's kernels for CUDA cannot be loaded ({}); expected {} of torch {} for CUDA, in the "
      "folder of libtorch_cpu.so or one of LD_LIBRARY_PATH: give the folder torch/lib of a Python "
      "that has this version, or train with --device cpu",
      reason == nullptr ? "no reason is known" : reason, library, TORCH_VERSION);
}

}  // namespace

std::string load_cuda(const std::string& library) {
  setenv("CUBLAS_WORKSPACE_CONFIG", kWorkspace, /*overwrite=*/1);
  // Never closed: its initialisers have registered kernels.
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) return cannot_be_loaded(library);
  at::Context& context = at::globalContext();
  if (!at::Context::hasCUDART())
    return fmt::format("{} was loaded, but registers no kernels with LibTorch {}", library,
                       TORCH_VERSION);
  if (at::detail::getCUDAHooks().getNumGPUs() == 0)
    return "no GPU was found; expected one of NVIDIA's that CUDA_VISIBLE_DEVICES does not hide, "
           "and its driver (libcuda.so.1), which nvidia-smi shows, or train with --device cpu";
  try {
    context.lazyInitDevice(at::kCUDA);
  } catch (const std::exception& error) {
    return fmt::format("CUDA does not start: {}; train with --device cpu", error.what());
  }
  context.setDeterministicAlgorithms(true, /*warn_only=*/false);
  // Nothing here reads what it has not written.
  context.setDeterministicFillUninitializedMemory(false);
  context.setAllowBF16ReductionCuBLAS(/*allow_reduced_precision=*/false);
  return {};
}

}  // namespace outrider::train
