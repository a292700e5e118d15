#pragma once

#include <cstddef>
#include <cstdint>

namespace outrider::engine::cpu {

/// The layout of a packed matrix. A panel is sixteen outputs. kF32 is [panels, inputs, 16] floats,
/// kF16 and kBf16 the same in two bytes; the others divide a panel into blocks of 32 inputs with
/// weights scale * (quant - zero) or scale * quant + minimum, where scale and minimum belong to one
/// output and block. Their size is that of the file within 3 %, but Q3_K, IQ4_NL, IQ4_XS and MXFP4 nearly double.
enum class Packing : std::uint8_t {
  kF32,
  kF16,
  kBf16,
  kU4,       // Q4_0
  kU4Min,    // Q4_1
  kU5,       // Q5_0
  kU5Min,    // Q5_1
  kU8,       // Q8_0, and IQ4_NL as what its nibbles stand for; 128 added to the quants
  kU4Super,  // Q4_K
  kU5Super,  // Q5_K
  kU6Super,  // Q6_K, Q3_K
  kU2Super,  // Q2_K
  kU8Super,  // IQ4_XS, 128 added to what its nibbles stand for
  kU8Float,  // MXFP4, likewise
};

constexpr int kNumPackings = 14;

/// The quantised form of 32 numbers of a row: x[i] is about scale * quant[i]. The sums are the
/// initial values of integer products with quants that have a zero point.
struct BlockScale {
  float scale;
  float scaled_sum;           // scale * sum of the quants
  std::int32_t minus_8_sums;  // -8 * sum
  std::int32_t minus_16_sums;
  std::int32_t minus_128_sums;
  std::int32_t minus_32_first;  // -32 * sum of the first 16
  std::int32_t minus_32_last;
};

/// @param first, last  sums of the first and the last 16 quants
inline BlockScale block_scale(float scale, std::int32_t first, std::int32_t last) {
  const std::int32_t sum = first + last;
  return {scale,     scale * static_cast<float>(sum), -8 * sum, -16 * sum, -128 * sum, -32 * first,
          -32 * last};
}

/// The source of a block's scale.
enum class ScaleForm : std::uint8_t {
  kHalf,         // a half
  kHalfAndMin,   // a half and a half minimum
  kSuperAndMin,  // halves for eight blocks, times a byte for each: scale and minimum (subtracted)
  kSuperHalves,  // a half for eight blocks, times a signed byte for each 16 inputs
  /// Halves for eight blocks, times four bits for each 16 inputs: scale and minimum (subtracted).
  kSuperHalvesAndMin,
  kSuper,  // a half for eight blocks, times a signed byte for each
  kFloat,  // a float
};

/// Whether the first and the last 16 inputs of a block have scales of their own.
constexpr bool has_halves(ScaleForm form) {
  return form == ScaleForm::kSuperHalves || form == ScaleForm::kSuperHalvesAndMin;
}
/// Whether quants have a zero point for all of a block, which BlockLayout::start takes off.
constexpr bool has_start(ScaleForm form) {
  return form == ScaleForm::kHalf || form == ScaleForm::kSuper || form == ScaleForm::kFloat;
}
/// What the zero point of the quants takes off the products with the first and the last 16 inputs.
template <int kBits>
constexpr std::int32_t start_of_first(const BlockScale& row) {
  return kBits == 2 ? 0 : row.minus_32_first;
}
template <int kBits>
constexpr std::int32_t start_of_last(const BlockScale& row) {
  return kBits == 2 ? 0 : row.minus_32_last;
}

/// Layout of the blocks of a panel. `kGroup` blocks share a header, followed by the quants of each:
/// the low four bits (or all two or eight), then the upper bits. See Quants for their order.
template <Packing P>
struct BlockLayout;

template <int bits, ScaleForm form>
struct BlockLayoutOf {
  static constexpr int kBits = bits;
  static constexpr ScaleForm kForm = form;
  static constexpr std::size_t kGroup =
      form == ScaleForm::kHalf || form == ScaleForm::kHalfAndMin || form == ScaleForm::kFloat ? 1
                                                                                              : 8;
  static constexpr std::size_t kHeader = form == ScaleForm::kHalf                ? 32
                                         : form == ScaleForm::kHalfAndMin        ? 64
                                         : form == ScaleForm::kSuperAndMin       ? 64 + 2 * 8 * 16
                                         : form == ScaleForm::kSuperHalves       ? 32 + 8 * 2 * 16
                                         : form == ScaleForm::kSuperHalvesAndMin ? 64 + 8 * 2 * 16
                                         : form == ScaleForm::kSuper             ? 32 + 8 * 16
                                                                                 : 64;
  static constexpr std::size_t kQuants = 64 * bits;  // 16 outputs * 32 inputs * bits / 8
  static constexpr std::size_t kGroupBytes = kHeader + kGroup * kQuants;

  /// The quants of block `b` of a panel.
  static const std::uint8_t* quants(const std::uint8_t* panel, std::size_t b) {
    return panel + b / kGroup * kGroupBytes + kHeader + b % kGroup * kQuants;
  }
};

template <>
struct BlockLayout<Packing::kU4> : BlockLayoutOf<4, ScaleForm::kHalf> {
  static std::int32_t start(const BlockScale& row) { return row.minus_8_sums; }
};
template <>
struct BlockLayout<Packing::kU5> : BlockLayoutOf<5, ScaleForm::kHalf> {
  static std::int32_t start(const BlockScale& row) { return row.minus_16_sums; }
};
template <>
struct BlockLayout<Packing::kU8> : BlockLayoutOf<8, ScaleForm::kHalf> {
  static std::int32_t start(const BlockScale& row) { return row.minus_128_sums; }
};
template <>
struct BlockLayout<Packing::kU4Min> : BlockLayoutOf<4, ScaleForm::kHalfAndMin> {};
template <>
struct BlockLayout<Packing::kU5Min> : BlockLayoutOf<5, ScaleForm::kHalfAndMin> {};
template <>
struct BlockLayout<Packing::kU4Super> : BlockLayoutOf<4, ScaleForm::kSuperAndMin> {};
template <>
struct BlockLayout<Packing::kU5Super> : BlockLayoutOf<5, ScaleForm::kSuperAndMin> {};
template <>
struct BlockLayout<Packing::kU6Super> : BlockLayoutOf<6, ScaleForm::kSuperHalves> {};
template <>
struct BlockLayout<Packing::kU2Super> : BlockLayoutOf<2, ScaleForm::kSuperHalvesAndMin> {};
template <>
struct BlockLayout<Packing::kU8Super> : BlockLayoutOf<8, ScaleForm::kSuper> {
  static std::int32_t start(const BlockScale& row) { return row.minus_128_sums; }
};
template <>
struct BlockLayout<Packing::kU8Float> : BlockLayoutOf<8, ScaleForm::kFloat> {
  static std::int32_t start(const BlockScale& row) { return row.minus_128_sums; }
};

/// Whether weights are stored as floats and not in blocks.
constexpr bool is_float(Packing packing) {
  return packing == Packing::kF32 || packing == Packing::kF16 || packing == Packing::kBf16;
}

/// Calls visit(layout) with the BlockLayout of a block packing.
template <typename Visit>
auto visit_layout(Packing packing, const Visit& visit) {
  switch (packing) {
    case Packing::kU4:
      return visit(BlockLayout<Packing::kU4>{});
    case Packing::kU4Min:
      return visit(BlockLayout<Packing::kU4Min>{});
    case Packing::kU5:
      return visit(BlockLayout<Packing::kU5>{});
    case Packing::kU5Min:
      return visit(BlockLayout<Packing::kU5Min>{});
    case Packing::kU4Super:
      return visit(BlockLayout<Packing::kU4Super>{});
    case Packing::kU5Super:
      return visit(BlockLayout<Packing::kU5Super>{});
    case Packing::kU6Super:
      return visit(BlockLayout<Packing::kU6Super>{});
    case Packing::kU2Super:
      return visit(BlockLayout<Packing::kU2Super>{});
    case Packing::kU8Super:
      return visit(BlockLayout<Packing::kU8Super>{});
    case Packing::kU8Float:
      return visit(BlockLayout<Packing::kU8Float>{});
    case Packing::kF32:
    case Packing::kF16:
    case Packing::kBf16:
    case Packing::kU8:
      break;
  }
  return visit(BlockLayout<Packing::kU8>{});
}

/// Bytes of one panel of `inputs` inputs.
inline std::size_t panel_bytes(Packing packing, int inputs) {
  const std::size_t count = static_cast<std::size_t>(inputs);
  if (is_float(packing)) return count * 16 * (packing == Packing::kF32 ? 4 : 2);
  return visit_layout(packing,
                      [&](auto layout) { return count / 32 / layout.kGroup * layout.kGroupBytes; });
}

}  // namespace outrider::engine::cpu
