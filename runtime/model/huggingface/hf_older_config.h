#pragma once

#include <string_view>

#include "runtime/model/config.h"
#include "runtime/model/json_object.h"

namespace outrider::model {

/// Whether a model_type is one from before rotary positions and RMS norms: opt, bloom, gpt_bigcode.
bool is_older_type(std::string_view model_type);

/// Sets the sizes and options of such a model from its config.json; `architecture` is set.
/// @throws InputError naming a key that is missing, out of range, unknown, or not supported
void read_older_shape(const JsonObject& file, ModelConfig& shape);

}  // namespace outrider::model
