#pragma once

#include <string>

#include "runtime/methods/method_target.h"
#include "runtime/methods/prepared_method.h"
#include "runtime/methods/wrap_settings.h"

namespace outrider::methods {

/// The drafters of copies before a method's own drafts: draft::PldPlusH where the artifacts have lengths for each step,
/// which the least speed-up applies to, else draft::Pld with n-grams that are long enough; from the user's own texts too,
/// if the settings name any.
/// @param artifacts  the setting as given
/// @param settings   with a least speed-up
PreparedMethod::NewDrafter new_copier(const MethodTarget& target, const std::string& artifacts,
                                      const WrapSettings& settings);

/// Whether the artifacts have lengths for each step, at the target's temperature.
bool has_calibrated_lengths(const MethodTarget& target, const std::string& artifacts);

}  // namespace outrider::methods
