#pragma once

#include <string_view>

#include "runtime/engine/engine.h"

namespace outrider::engine {

/// The settings by the names that flags give them. @throws InputError listing the names there are
Numerics numerics_of(std::string_view name);
Isa isa_of(std::string_view name);

}  // namespace outrider::engine
