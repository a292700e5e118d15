#pragma once

#include <cstdint>

namespace outrider::model {

/// The numbers that the sixteen nibbles of IQ4_NL and IQ4_XS stand for.
inline constexpr std::int8_t kIq4Codes[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                              1,    13,   25,  38,  53,  69,  89,  113};

/// Those of MXFP4, doubled: a sign, two bits of exponent and one of fraction.
inline constexpr std::int8_t kMxfp4Codes[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                                0, -1, -2, -3, -4, -6, -8, -12};

/// The signed factor of block `block` of the eight of an IQ4_XS super-block: four bits of each are packed by twos, the
/// upper two bits of all in a word.
/// @param low  [4]
inline int iq4_xs_factor(std::uint16_t upper, const std::uint8_t* low, int block) {
  return ((low[block / 2] >> (block % 2 * 4) & 15) | (upper >> (2 * block) & 3) << 4) - 32;
}

/// The signed factor of sixteen numbers of a Q3_K super-block.
/// @param packed   [12]: the low four bits of factors 0-7 and 8-15, then the upper two
/// @param sixteen  0 to 15
inline int q3_k_factor(const std::uint8_t* packed, int sixteen) {
  const int low = sixteen < 8 ? packed[sixteen] & 15 : packed[sixteen - 8] >> 4;
  return (low | (packed[8 + sixteen % 4] >> (2 * (sixteen / 4)) & 3) << 4) - 32;
}

}  // namespace outrider::model
