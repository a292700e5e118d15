#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/engine/engine.h"

namespace outrider::engine {

/// The available names, "auto" first.
const std::vector<std::string>& numerics_names();
const std::vector<std::string>& isa_names();
const std::vector<std::string>& kv_names();

/// The settings by their flags' names. @throws InputError listing the available names
Numerics numerics_of(std::string_view name);
Isa isa_of(std::string_view name);
/// Nothing for "auto".
std::optional<KvType> kv_of(std::string_view name);

}  // namespace outrider::engine
