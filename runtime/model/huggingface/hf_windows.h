#pragma once

#include "runtime/model/config.h"
#include "runtime/model/json_object.h"

namespace outrider::model {

/// Sets `windows` as transformers reads `sliding_window`, `use_sliding_window`, `max_window_layers` and
/// `layer_types` of a config.json: which of them count depends on the type; `architecture` and `layers`
/// are known.
/// @throws InputError naming what is out of range, contradicts the rest, or has no meaning in this type
void read_windows(const JsonObject& file, ModelConfig& shape);

}  // namespace outrider::model
