#pragma once

#include <string>

#include "runtime/methods/method_target.h"
#include "runtime/methods/prepared_method.h"

namespace outrider::methods {

/// Drafters that are draft::Guarded, if the setting of --guard is "on" and this machine's costs are known.
/// @param artifacts   the setting as given
/// @param step_share  of draft::DraftPrices
PreparedMethod::NewDrafter guarded(const MethodTarget& target, const std::string& artifacts,
                                   const std::string& guard, double step_share,
                                   PreparedMethod::NewDrafter drafter);

}  // namespace outrider::methods
