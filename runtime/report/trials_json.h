#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "runtime/report/trials_text.h"

namespace outrider::report {

/// What is chosen of trials on each machine whose costs are known, by temperature: a list.
nlohmann::ordered_json chosen_json(cost::Trials trials, const std::vector<PricesOn>& machines,
                                   const cost::Preference& preference);

}  // namespace outrider::report
