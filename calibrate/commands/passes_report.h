#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/cost/calibrated_pair.h"

namespace outrider::calibrate {

// What the reports of all commands say that replay settings of a drafter.

/// @param draft   its name
/// @param origin  where the target's costs are from
std::string passes_text(const std::string& draft, const cost::CalibratedPasses& passes,
                        const std::string& origin);
nlohmann::ordered_json passes_json(const std::string& draft, const cost::CalibratedPasses& passes);

}  // namespace outrider::calibrate
