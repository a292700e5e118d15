#pragma once

#include <memory>

#include "runtime/engine/cuda/gpu_kernels.h"

namespace outrider::engine::cuda::nvidia {

/// The kernels, compiled by nvcc, on a device of make_nvidia_device.
std::unique_ptr<GpuKernels> make_kernels(Device& device);

}  // namespace outrider::engine::cuda::nvidia
