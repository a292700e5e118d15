#pragma once

#include <memory>

#include "runtime/engine/cuda/gpu_kernels.h"

namespace outrider::engine::cuda::emulated {

/// The kernels, compiled by the C++ compiler, on a device of make_emulated_device.
std::unique_ptr<GpuKernels> make_kernels(Device& device);

}  // namespace outrider::engine::cuda::emulated
