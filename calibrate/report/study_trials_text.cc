#include "calibrate/report/study_trials_text.h"

#include <fmt/core.h>

#include "runtime/report/trials_text.h"

namespace outrider::calibrate {

std::string study_trials_text(const StudyTrials& found, const std::string& machine) {
  return fmt::format("Speeds are predicted from {}\n", found.costs.origin) +
         report::trials_text(found.trials, {{machine, found.costs.model, found.drafting}}, {});
}

}  // namespace outrider::calibrate
