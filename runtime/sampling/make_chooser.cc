#include "runtime/sampling/chooser.h"
#include "runtime/sampling/cpu_chooser.h"

namespace outrider::sampling {

std::unique_ptr<Chooser> make_chooser(engine::Engine& engine, std::optional<int> top) {
  return std::make_unique<CpuChooser>(engine, top);
}

}  // namespace outrider::sampling
