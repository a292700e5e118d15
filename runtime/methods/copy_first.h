#pragma once

#include <string>

#include "runtime/methods/draft_model_settings.h"
#include "runtime/methods/method_target.h"
#include "runtime/methods/prepared_method.h"

namespace outrider::methods {

/// Drafters of a method with a draft model that copy first, if the settings say so: with draft::PldPlusH
/// where the artifacts have lengths for each step, which --copy-min-speed-up applies to, else with draft::Pld and
/// n-grams that are long enough; from the user's own texts too, if the settings name any.
/// @param artifacts  the setting as given
/// @param speed_up   of the draft model over plain decoding, as far as known
/// @param use        its least speed-up of copies is filled in if it has none
/// @param guard      the copier's
/// @throws InputError for --copy-min-speed-up or --reference alone, and for copies with --verify rejection
PreparedMethod::NewDrafter copy_first(const MethodTarget& target, const std::string& artifacts,
                                      std::optional<double> speed_up, DraftModelSettings& use,
                                      const std::string& guard, PreparedMethod::NewDrafter model);

/// Whether the artifacts have lengths for each step, at the target's temperature.
bool has_calibrated_lengths(const MethodTarget& target, const std::string& artifacts);

}  // namespace outrider::methods
