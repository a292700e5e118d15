#include <utility>

#include "runtime/sampling/chooser.h"
#include "runtime/sampling/cpu_chooser.h"
#include "runtime/sampling/elsewhere_chooser.h"

namespace outrider::sampling {

std::unique_ptr<Chooser> make_chooser(engine::Engine& engine, std::optional<int> top) {
  auto on_host = std::make_unique<CpuChooser>(engine, top);
  auto reader = engine.make_row_reader({.top = top.value_or(0)});
  if (reader == nullptr) return on_host;
  return std::make_unique<ElsewhereChooser>(std::move(reader), std::move(on_host), top.has_value());
}

}  // namespace outrider::sampling
