#pragma once

#include <cstddef>
#include <cstdint>

namespace outrider::engine {

/// How a packed matrix holds its weights. A panel is sixteen outputs; the 8- and 4-bit packings cut
/// it into blocks of 32 inputs, each with a scale (and minimum) per output:
/// [panels, inputs / 32]{16 half scales, 16 half minima if any, quants}, a weight being
/// scale * (quant - zero) or scale * quant + minimum. They take the bytes that the file takes.
enum class Packing : std::uint8_t {
  kF32,    // [panels, inputs, 16] floats
  kU4,     // Q4_0
  kU4Min,  // Q4_1
  kU8,     // Q8_0, 128 added to its quants
};

/// The quantised form of 32 numbers of a row: x[i] is about scale * quant[i].
struct BlockScale {
  float scale;
  float scaled_sum;           // scale * sum of the quants
  std::int32_t minus_8_sums;  // what a zero of 8 takes away from an integer product
  std::int32_t minus_128_sums;
};

/// Layout of a block of a panel, and what an integer product with a row's block starts from.
template <Packing P>
struct BlockLayout;
template <>
struct BlockLayout<Packing::kU4> {
  static constexpr std::int32_t start(const BlockScale& row) { return row.minus_8_sums; }
  static constexpr bool kHasMin = false;
  static constexpr bool kFourBits = true;
  static constexpr std::size_t kBytes = 32 + 256;
};
template <>
struct BlockLayout<Packing::kU4Min> {
  static constexpr std::int32_t start(const BlockScale&) { return 0; }
  static constexpr bool kHasMin = true;
  static constexpr bool kFourBits = true;
  static constexpr std::size_t kBytes = 64 + 256;
};
template <>
struct BlockLayout<Packing::kU8> {
  static constexpr std::int32_t start(const BlockScale& row) { return row.minus_128_sums; }
  static constexpr bool kHasMin = false;
  static constexpr bool kFourBits = false;
  static constexpr std::size_t kBytes = 32 + 512;
};

/// Bytes of one panel of `inputs` inputs.
inline std::size_t panel_bytes(Packing packing, int inputs) {
  const std::size_t blocks = static_cast<std::size_t>(inputs) / 32;
  switch (packing) {
    case Packing::kU4:
      return blocks * BlockLayout<Packing::kU4>::kBytes;
    case Packing::kU4Min:
      return blocks * BlockLayout<Packing::kU4Min>::kBytes;
    case Packing::kU8:
      return blocks * BlockLayout<Packing::kU8>::kBytes;
    case Packing::kF32:
      break;
  }
  return static_cast<std::size_t>(inputs) * 16 * sizeof(float);
}

}  // namespace outrider::engine
