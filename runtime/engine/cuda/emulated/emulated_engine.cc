#include "runtime/engine/cuda/emulated/emulated_engine.h"

#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/emulated/emulated_kernels.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/engine/machine.h"

namespace outrider::engine::cuda {

std::unique_ptr<Engine> make_emulated_engine(const model::Model& model,
                                             const EngineOptions& options) {
  auto gpu = std::make_shared<Gpu>();
  gpu->device = emulated::make_emulated_device({.os_threads = default_threads()});
  gpu->kernels = emulated::make_kernels(*gpu->device);
  return std::make_unique<GpuEngine>(std::move(gpu), model, options);
}

}  // namespace outrider::engine::cuda
