#include "tests/device_check/ceiling_kernels.cuh"

namespace outrider::device_check {

std::unique_ptr<CeilingKernels> emulated_ceiling_kernels(engine::cuda::Device& device) {
  return std::make_unique<engine::cuda::emulated::LaunchedCeilings>(device);
}

}  // namespace outrider::device_check
