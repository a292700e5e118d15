#pragma once

#include <bit>
#include <cstdint>

#include "runtime/base/portable.h"

namespace outrider {

/// A bfloat16 number as stored: the upper half of a float.
enum class Bfloat16 : std::uint16_t {};

/// Exact conversion.
OUTRIDER_HD constexpr float bfloat16_to_float(Bfloat16 number) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(number) << 16);
}

/// Rounds to nearest, ties to even; NaN stays NaN.
OUTRIDER_HD constexpr Bfloat16 float_to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  const std::uint32_t upper =
      is_nan ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return static_cast<Bfloat16>(static_cast<std::uint16_t>(upper));
}

}  // namespace outrider
