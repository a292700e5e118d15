#pragma once

#include <string>

#include "train/checkpoints/checkpoint.h"

namespace outrider::train {

/// Everything but the parameters' numbers, as JSON.
std::string head_text(const Checkpoint& checkpoint);

/// The inverse; the parameters have names and shapes only.
/// @throws nlohmann::json::exception or InputError for anything else
Checkpoint parse_head(const std::string& text);

}  // namespace outrider::train
