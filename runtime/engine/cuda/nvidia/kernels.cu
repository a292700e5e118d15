#include "runtime/engine/cuda/nvidia/kernels.h"

#include "runtime/engine/cuda/launch.cuh"

namespace outrider::engine::cuda::nvidia {

std::unique_ptr<Kernels> make_kernels(Device& device) { return std::make_unique<LaunchedKernels>(device); }

}  // namespace outrider::engine::cuda::nvidia
