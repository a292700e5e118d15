#pragma once

#include <string>

#include "runtime/draft/copy/pld_plus_heads.h"
#include "runtime/draft/copy/pld_plus_layer.h"

namespace outrider::report {

/// Text for people: counts per task, the heads' hits in percent, and the sweeps over numbers of
/// heads and whole layers.
std::string pld_plus_heads_text(const draft::PldPlusHeads& found);

/// The curves over layers, averaged positions, draft lengths and thresholds.
std::string pld_plus_layer_text(const draft::PldPlusLayer& found);

/// Draft lengths and thresholds with their results, and the choice.
std::string pld_plus_settings_text(const draft::PldPlusSettings& settings);

}  // namespace outrider::report
