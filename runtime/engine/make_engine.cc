#include "runtime/engine/cpu/cpu_engine.h"
#include "runtime/engine/engine.h"
#include "runtime/model/finite_weights.h"

namespace outrider::engine {

std::unique_ptr<Engine> make_engine(const model::Model& model, const EngineOptions& options) {
  model::check_finite(model);
  return std::make_unique<cpu::CpuEngine>(model, options);
}

}  // namespace outrider::engine
