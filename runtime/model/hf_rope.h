#pragma once

#include "runtime/model/config.h"
#include "runtime/model/json_object.h"

namespace outrider::model {

/// Sets `rope_base` and `rope_divisors` as `rope_theta` and `rope_scaling`, or `rope_parameters`, of a
/// config.json say; `head_width` is known. Plain rotary positions, linear ones, and Llama 3's.
/// @throws InputError naming what is missing, out of range or of another kind
void read_rope(const JsonObject& file, ModelConfig& shape);

}  // namespace outrider::model
