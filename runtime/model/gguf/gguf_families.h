#pragma once

#include <span>
#include <string_view>

#include "runtime/model/config.h"
#include "runtime/model/gguf/gguf_metadata.h"

namespace outrider::model {

/// The keys that an architecture has besides those of all, without its prefix.
std::span<const std::string_view> gguf_family_keys(std::string_view architecture);

/// Every so many layers, counted from 1, one is without a window; 0: all have the same.
int gguf_window_pattern(std::string_view architecture);

/// Sets what an architecture's name implies, and what its own keys say. The sizes and windows are set.
/// @throws InputError naming a key that is out of range
void read_gguf_family(const GgufMetadata& metadata, ModelConfig& config);

}  // namespace outrider::model
