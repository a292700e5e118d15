#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/engine/engine.h"

namespace outrider::engine {

/// The names there are, "auto" first.
const std::vector<std::string>& numerics_names();
const std::vector<std::string>& isa_names();
const std::vector<std::string>& kv_names();

/// The settings by the names that flags give them. @throws InputError listing the names there are
Numerics numerics_of(std::string_view name);
Isa isa_of(std::string_view name);
/// Nothing for "auto".
std::optional<KvType> kv_of(std::string_view name);

}  // namespace outrider::engine
