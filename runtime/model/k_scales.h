#pragma once

#include <cstddef>
#include <cstdint>

namespace outrider::model {

/// The six-bit factors of one of the eight blocks of a Q4_K or Q5_K super-block.
struct KScale {
  std::uint8_t scale;
  std::uint8_t minimum;
};

/// @param packed  [12]: bytes 0–3 hold the scales of blocks 0–3 and, in the top bits, two bits of those of
///                4–7; bytes 4–7 the minima likewise; bytes 8–11 the low four bits of blocks 4–7
inline KScale k_scale(const std::uint8_t* packed, std::size_t block) {
  if (block < 4)
    return {static_cast<std::uint8_t>(packed[block] & 63),
            static_cast<std::uint8_t>(packed[block + 4] & 63)};
  const int low = packed[block + 4];
  return {static_cast<std::uint8_t>((low & 15) | (packed[block - 4] >> 2 & 0x30)),
          static_cast<std::uint8_t>(low >> 4 | (packed[block] >> 2 & 0x30))};
}

}  // namespace outrider::model
