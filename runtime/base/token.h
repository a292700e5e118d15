#pragma once

#include <cstdint>

namespace outrider {

/// A token id, in [0, vocabulary size).
using Token = std::int32_t;

}  // namespace outrider
