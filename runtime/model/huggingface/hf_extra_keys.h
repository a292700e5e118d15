#pragma once

#include <span>
#include <string_view>

#include "runtime/model/json_object.h"

namespace outrider::model {

/// Refuses the keys of a config.json that ask for something that is not supported, by what they mean, and those
/// that are not known. Keys for training or other programs are accepted.
/// @param known  the keys that the model type reads, or that are without effect for it
/// @throws InputError naming the key
void refuse_other_keys(const JsonObject& file, std::span<const std::string_view> known);

}  // namespace outrider::model
