#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace outrider::model {

/// The float with the same value as an IEEE 754 half; exact, the payload of a NaN kept.
inline float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1Fu;
  const std::uint32_t fraction = half & 0x3FFu;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24, exact in a float
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  const std::uint32_t wide_exponent = exponent == 0x1F ? 0xFFu : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide_exponent << 23 | fraction << 13);
}

/// The float with the same value as a bfloat16.
inline float float_of_bfloat16(std::uint16_t brain) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(brain) << 16);
}

/// Two bytes of a file, little-endian, wherever they lie.
inline std::uint16_t load_u16(const std::byte* source) {
  std::uint16_t value;
  std::memcpy(&value, source, sizeof value);
  return value;
}

}  // namespace outrider::model
