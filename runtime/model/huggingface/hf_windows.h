#pragma once

#include "runtime/model/config.h"
#include "runtime/model/json_object.h"

namespace outrider::model {

/// Sets `windows` from `sliding_window`, `use_sliding_window`, `max_window_layers` and `layer_types` of a
/// config.json, as transformers does: which of them apply depends on the type. `architecture` and
/// `layers` are set.
/// @throws InputError naming what is out of range, contradictory, or not used by this type
void read_windows(const JsonObject& file, ModelConfig& shape);

}  // namespace outrider::model
