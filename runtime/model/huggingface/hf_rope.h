#pragma once

#include "runtime/model/config.h"
#include "runtime/model/json_object.h"

namespace outrider::model {

/// Sets `rope_base`, `rotary_width`, `rope_divisors` and `rope_scale` from `rope_theta` and `rope_scaling`,
/// or `rope_parameters`, of a config.json; `head_width` and `context` are set. Supports default and linear
/// rotary positions, Llama 3's, and LongRoPE's up to the original context, to which `context` is then
/// limited: a longer text would change how its first tokens were rotated.
/// @throws InputError naming what is missing, out of range or not supported
void read_rope(const JsonObject& file, ModelConfig& shape);

}  // namespace outrider::model
