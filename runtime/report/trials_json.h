#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "runtime/report/trials_text.h"

namespace outrider::report {

/// Of a setting of trials: whole numbers without a fraction, as flags take them.
nlohmann::ordered_json setting_json(const cost::SettingValue& value);

/// What is chosen of trials on each machine whose costs are known, by temperature: a list.
nlohmann::ordered_json chosen_json(cost::Trials trials, const std::vector<PricesOn>& machines,
                                   const cost::Preference& preference);

}  // namespace outrider::report
