#pragma once

#include <string>

#include "runtime/artifacts/copy_heads.h"
#include "runtime/artifacts/copy_layer.h"

namespace outrider {

/// For a person: what was counted of each task, the map of the heads' hits in percent, and the sweeps
/// over numbers of heads and whole layers.
std::string copy_heads_text(const artifacts::CopyHeads& found);

/// The curves over layers, averaged positions, draft lengths and thresholds.
std::string copy_layer_text(const artifacts::CopyLayer& found);

/// Draft lengths and thresholds with what they gave, and the choice.
std::string copy_settings_text(const artifacts::CopySettings& settings);

}  // namespace outrider
