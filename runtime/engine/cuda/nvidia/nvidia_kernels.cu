#include "runtime/engine/cuda/launch.cuh"
#include "runtime/engine/cuda/nvidia/nvidia_kernels.h"

namespace outrider::engine::cuda::nvidia {

std::unique_ptr<GpuKernels> make_kernels(Device& device) {
  return std::make_unique<LaunchedKernels>(device);
}

}  // namespace outrider::engine::cuda::nvidia
