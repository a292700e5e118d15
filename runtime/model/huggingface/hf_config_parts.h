#pragma once

#include <string_view>

#include "runtime/model/config.h"
#include "runtime/model/json_object.h"

namespace outrider::model {

// What read_hf_config reads of a config.json, each part in a file of its own.

/// Sets `rope_base`, `rotary_width`, `rope_divisors` and `rope_scale` from `rope_theta` and `rope_scaling`,
/// or `rope_parameters`, and `window_rope_base`; `head_width` and `context` are set. Supports default and linear
/// rotary positions, Llama 3's, YaRN's, and LongRoPE's up to the original context, to which `context` is then
/// limited: a longer text would change how its first tokens were rotated.
/// @throws InputError naming what is missing, out of range or not supported
void read_rope(const JsonObject& file, ModelConfig& shape);

/// Sets `windows` from `sliding_window`, `use_sliding_window`, `max_window_layers`, `sliding_window_pattern` and `layer_types`, as
/// transformers does: which of them apply depends on the type. `architecture` and `layers` are set.
/// @throws InputError naming what is out of range, contradictory, or not used by this type
void read_windows(const JsonObject& file, ModelConfig& shape);

/// Whether a model_type is one from before rotary positions and RMS norms: opt, bloom, gpt_bigcode.
bool is_older_type(std::string_view model_type);

/// Sets the sizes and options of such a model; `architecture` is set.
/// @throws InputError naming a key that is missing, out of range, unknown, or not supported
void read_older_shape(const JsonObject& file, ModelConfig& shape);

}  // namespace outrider::model
