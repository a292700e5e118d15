#include "tests/device_check/ceiling_kernels.cuh"

namespace outrider::device_check {

std::unique_ptr<CeilingKernels> nvidia_ceiling_kernels(engine::cuda::Device& device) {
  return std::make_unique<engine::cuda::nvidia::LaunchedCeilings>(device);
}

}  // namespace outrider::device_check
