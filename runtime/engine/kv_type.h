#pragma once

#include <cstdint>

namespace outrider::engine {

/// The type of cached keys and values. They are rounded when a row is written, before any row, itself
/// included, reads them. kQ8_0: in blocks of 32 along the head (see cpu::KvLayout).
enum class KvType : std::uint8_t { kF32, kF16, kQ8_0 };

}  // namespace outrider::engine
