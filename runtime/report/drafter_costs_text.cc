#include "runtime/report/drafter_costs_text.h"

#include <fmt/core.h>

#include "runtime/report/sheet.h"

namespace outrider::report {

std::string drafter_costs_text(const cost::DrafterCosts& costs) {
  std::string text =
      "microseconds of a step without its pass (spread), by drafter and context\n             ";
  for (const int context : costs.contexts) text += fmt::format("  {:<22}", context);
  for (const auto& one : costs.drafters) {
    text += fmt::format("\n{:<13}", printable(one.name));
    for (std::size_t i = 0; i < one.seconds.size(); ++i)
      text += fmt::format("  {:<22}", fmt::format("{:.1f} ({:.1f}-{:.1f})", 1e6 * one.seconds[i],
                                                  1e6 * one.low[i], 1e6 * one.high[i]));
  }
  return text + "\n";
}

}  // namespace outrider::report
