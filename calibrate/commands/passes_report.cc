#include "calibrate/commands/passes_report.h"

#include <fmt/format.h>

namespace outrider::calibrate {

std::string passes_text(const std::string& draft, const cost::CalibratedPasses& passes,
                        const std::string& origin) {
  return fmt::format(
      "{}\na pass of it over {} rows: {:.3f} passes of the target over one; threads {} "
      "and {}; {} tokens before; target's passes: {}\n",
      draft, fmt::join(passes.rows, ", "), fmt::join(passes.shares, ", "), passes.draft_threads,
      passes.threads, passes.context, origin);
}

nlohmann::ordered_json passes_json(const std::string& draft, const cost::CalibratedPasses& passes) {
  return {{"draft", draft},
          {"context", passes.context},
          {"threads", passes.threads},
          {"draft_threads", passes.draft_threads},
          {"draft_rows", passes.rows},
          {"draft_shares", passes.shares}};
}

}  // namespace outrider::calibrate
