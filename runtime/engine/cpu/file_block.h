#pragma once

#include <cstdint>

#include "runtime/model/weight.h"

namespace outrider::engine::cpu {

/// 32 quantised weights of a row, unpacked: quants, scales and minimums as stored in the file.
struct FileBlock {
  std::uint8_t quants[32];    // unsigned; of Q8_0, IQ4 and MXFP4 with 128 added, of Q3_K with 32
  std::uint16_t scale = 0;    // a half; for the K types, of the superblock of eight blocks
  std::uint16_t minimum = 0;  // likewise
  /// Q4_K, Q5_K: of scale and minimum. Q6_K, Q3_K: of the first and last 16, signed. Q2_K: of these, four bits of the
  /// scale below those of the minimum. IQ4_XS: of the scale, signed.
  std::uint8_t factors[2] = {};
  float wide_scale = 0;  // MXFP4's, in place of `scale`
};

/// Block `b` of a row. Floats are quantised as Q8_0: the scale is the largest magnitude / 127 as a
/// half, a quant the nearest integer to number * 127 / largest, ties away from zero.
FileBlock read_file_block(model::WeightType type, const std::byte* row, std::size_t b);

}  // namespace outrider::engine::cpu
