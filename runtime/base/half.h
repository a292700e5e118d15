#pragma once

#include <bit>
#include <cstdint>

#include "runtime/base/portable.h"

namespace outrider {

/// An IEEE binary16 number as stored.
enum class Half : std::uint16_t {};

/// Exact conversion.
OUTRIDER_HD constexpr float half_to_float(Half half) {
  const std::uint32_t h = static_cast<std::uint16_t>(half);
  const std::uint32_t sign = (h & 0x8000u) << 16;
  const std::uint32_t exponent = (h >> 10) & 31u;
  const std::uint32_t fraction = h & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float tiny = static_cast<float>(fraction) * 0x1p-24f;  // zero or subnormal
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(tiny) | sign);
}

/// Rounds to nearest, ties to even, as F16C does.
OUTRIDER_HD constexpr Half float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  std::uint32_t h;
  if (magnitude > 0x7f800000u) {  // NaN: keep the top of the payload, quiet
    h = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) {  // 65520 and above: infinity
    h = 0x7c00u;
  } else if (magnitude >= 0x38800000u) {  // normal: round the 13 bits away
    h = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  } else {  // subnormal: adding 0.5 leaves multiples of 2^-24 in the low bits, rounded to even
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    h = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u;
  }
  return static_cast<Half>(static_cast<std::uint16_t>(sign | h));
}

}  // namespace outrider
