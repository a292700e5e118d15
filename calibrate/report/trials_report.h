#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/cost/drafting_cost.h"
#include "runtime/cost/trials.h"

namespace outrider::calibrate {

// What the reports of all commands say that try settings of a drafter.

/// @param draft    the drafter's file
/// @param context  tokens before the passes
/// @param origin   where the target's costs are from
std::string drafting_text(const std::string& draft, const cost::DraftingCost& drafting, int context,
                          const std::string& origin);
nlohmann::ordered_json drafting_json(const std::string& draft, const cost::DraftingCost& drafting,
                                     int context);

/// A priced trial, by the names of records.
nlohmann::ordered_json trial_json(const cost::Trial& trial, const std::vector<std::string>& names);

}  // namespace outrider::calibrate
