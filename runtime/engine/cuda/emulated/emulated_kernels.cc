#include "runtime/engine/cuda/emulated/emulated_kernels.h"

#include "runtime/engine/cuda/launch.cuh"

namespace outrider::engine::cuda::emulated {

std::unique_ptr<GpuKernels> make_kernels(Device& device) {
  return std::make_unique<LaunchedKernels>(device);
}

}  // namespace outrider::engine::cuda::emulated
