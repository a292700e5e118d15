#pragma once

#include "runtime/model/config.h"
#include "runtime/model/json_object.h"

namespace outrider::model {

/// Sets `rope_base`, `rotary_width`, `rope_divisors` and `rope_scale` as `rope_theta` and `rope_scaling`,
/// or `rope_parameters`, of a config.json say; `head_width` and `context` are known. Plain rotary
/// positions, linear ones, Llama 3's, and LongRoPE's up to the original context, at which `context` then
/// ends: a longer text would change how its first tokens were rotated.
/// @throws InputError naming what is missing, out of range or of another kind
void read_rope(const JsonObject& file, ModelConfig& shape);

}  // namespace outrider::model
