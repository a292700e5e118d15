#include "runtime/engine/cuda/cuda_engine.h"

#include "runtime/base/error.h"

namespace outrider::engine::cuda {

int device_count() { return 0; }

std::string why_not() {
  return "this build computes on processors only; `scripts/setup cuda`, then `scripts/build cuda`, "
         "make one that uses CUDA cards";
}

std::unique_ptr<Engine> make_cuda_engine(const model::Model&, const EngineOptions&, int) {
  throw InputError("--device cuda: " + why_not());
}

}  // namespace outrider::engine::cuda
