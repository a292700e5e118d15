#include "runtime/engine/cuda/cuda_engine.h"

#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/engine/cuda/nvidia/nvidia_device.h"
#include "runtime/engine/cuda/nvidia/nvidia_kernels.h"

namespace outrider::engine::cuda {

int device_count() { return nvidia::count_devices(); }

std::string why_not() { return nvidia::why_no_device(); }

std::unique_ptr<Engine> make_cuda_engine(const model::Model& model, const EngineOptions& options,
                                         int device) {
  auto gpu = std::make_shared<Gpu>();
  gpu->device = nvidia::make_nvidia_device(device);
  gpu->kernels = nvidia::make_kernels(*gpu->device);
  return std::make_unique<GpuEngine>(std::move(gpu), model, options);
}

}  // namespace outrider::engine::cuda
