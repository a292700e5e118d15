#include "runtime/engine/cpu/file_block.h"

#include <cstring>

#include "runtime/model/code_books.h"
#include "runtime/model/k_scales.h"
#include "runtime/model/quantise.h"

namespace outrider::engine::cpu {
namespace {

using model::WeightType;

std::uint16_t half_at(const std::uint8_t* p) {
  std::uint16_t half;
  std::memcpy(&half, p, 2);
  return half;
}

// Sixteen bytes of two nibbles: the low nibbles are numbers 0 to 15.
void read_nibbles(const std::uint8_t* p, FileBlock& block) {
  for (int i = 0; i < 16; ++i) {
    block.quants[i] = p[i] & 15;
    block.quants[16 + i] = p[i] >> 4;
  }
}

// Q5_0 and Q5_1: the fifth bits of all 32, then the nibbles.
void read_fifths(const std::uint8_t* p, FileBlock& block) {
  std::uint32_t fifths;
  std::memcpy(&fifths, p, 4);
  read_nibbles(p + 4, block);
  for (int i = 0; i < 32; ++i)
    block.quants[i] = static_cast<std::uint8_t>(block.quants[i] | (fifths >> i & 1) << 4);
}

// Q4_K and Q5_K: two blocks share 32 bytes, the even one has the low nibbles.
void read_k(const std::uint8_t* super, std::size_t i, bool fifths, FileBlock& block) {
  block.scale = half_at(super);
  block.minimum = half_at(super + 2);
  const model::KScale scale = model::k_scale(super + 4, i);
  block.factors[0] = scale.scale;
  block.factors[1] = scale.minimum;
  const std::uint8_t* upper = super + 16;
  const std::uint8_t* nibbles = super + (fifths ? 48 : 16) + i / 2 * 32;
  for (int n = 0; n < 32; ++n) {
    int quant = nibbles[n] >> (i % 2 == 0 ? 0 : 4) & 15;
    if (fifths) quant |= (upper[n] >> i & 1) << 4;
    block.quants[n] = static_cast<std::uint8_t>(quant);
  }
}

// Q6_K: halves of 128 numbers, each with 64 bytes of nibbles and 32 of upper bits.
void read_q6_k(const std::uint8_t* super, std::size_t i, FileBlock& block) {
  const std::size_t half = i / 4, part = i % 4;
  const std::uint8_t* nibbles = super + half * 64 + part % 2 * 32;
  const std::uint8_t* upper = super + 128 + half * 32;
  for (int n = 0; n < 32; ++n) {
    const int low = nibbles[n] >> (part < 2 ? 0 : 4) & 15;
    block.quants[n] = static_cast<std::uint8_t>(low | (upper[n] >> (2 * part) & 3) << 4);
  }
  block.factors[0] = super[192 + 2 * i];
  block.factors[1] = super[192 + 2 * i + 1];
  block.scale = half_at(super + 208);
}

// Q2_K and Q3_K: halves of 128 numbers, each with 32 bytes of two bits of four blocks.
int two_bits(const std::uint8_t* fours, std::size_t i, int n) {
  return fours[i / 4 * 32 + static_cast<std::size_t>(n)] >> (2 * (i % 4)) & 3;
}

void read_q2_k(const std::uint8_t* super, std::size_t i, FileBlock& block) {
  for (int n = 0; n < 32; ++n)
    block.quants[n] = static_cast<std::uint8_t>(two_bits(super + 16, i, n));
  block.factors[0] = super[2 * i];
  block.factors[1] = super[2 * i + 1];
  block.scale = half_at(super + 80);
  block.minimum = half_at(super + 82);
}

void read_q3_k(const std::uint8_t* super, std::size_t i, FileBlock& block) {
  for (int n = 0; n < 32; ++n)
    block.quants[n] =
        static_cast<std::uint8_t>(32 + two_bits(super + 32, i, n) - (super[n] >> i & 1 ? 0 : 4));
  for (int half = 0; half < 2; ++half)
    block.factors[half] =
        static_cast<std::uint8_t>(model::q3_k_factor(super + 96, 2 * static_cast<int>(i) + half));
  block.scale = half_at(super + 108);
}

// Sixteen bytes of nibbles as what they stand for.
void read_codes(const std::int8_t* codes, const std::uint8_t* nibbles, FileBlock& block) {
  read_nibbles(nibbles, block);
  for (std::uint8_t& quant : block.quants) quant = static_cast<std::uint8_t>(128 + codes[quant]);
}

void read_iq4_xs(const std::uint8_t* super, std::size_t i, FileBlock& block) {
  block.scale = half_at(super);
  block.factors[0] = static_cast<std::uint8_t>(
      model::iq4_xs_factor(half_at(super + 2), super + 4, static_cast<int>(i)));
  read_codes(model::kIq4Codes, super + 8 + 16 * i, block);
}

// Q8_0 of 32 floats of any width.
FileBlock quantise(WeightType type, const std::byte* source) {
  float numbers[32];
  model::dequantise(type, source, 32, numbers);
  std::byte stored[34];
  model::quantise(WeightType::kQ8_0, numbers, stored);
  return read_file_block(WeightType::kQ8_0, stored, 0);
}

}  // namespace

FileBlock read_file_block(WeightType type, const std::byte* row, std::size_t b) {
  const model::BlockShape shape = model::block_shape(type);
  if (shape.numbers == 1)
    return quantise(type, row + b * 32 * static_cast<std::size_t>(shape.bytes));
  const std::size_t group = static_cast<std::size_t>(shape.numbers) / 32;
  const auto* p = reinterpret_cast<const std::uint8_t*>(row) +
                  b / group * static_cast<std::size_t>(shape.bytes);
  FileBlock block;
  switch (type) {
    case WeightType::kQ4_0:
      block.scale = half_at(p);
      read_nibbles(p + 2, block);
      return block;
    case WeightType::kQ4_1:
      block.scale = half_at(p);
      block.minimum = half_at(p + 2);
      read_nibbles(p + 4, block);
      return block;
    case WeightType::kQ5_0:
      block.scale = half_at(p);
      read_fifths(p + 2, block);
      return block;
    case WeightType::kQ5_1:
      block.scale = half_at(p);
      block.minimum = half_at(p + 2);
      read_fifths(p + 4, block);
      return block;
    case WeightType::kQ8_0:
      block.scale = half_at(p);
      // Adding 128 to a signed byte inverts its top bit.
      for (int i = 0; i < 32; ++i) block.quants[i] = p[2 + i] ^ 0x80;
      return block;
    case WeightType::kQ4_K:
      read_k(p, b % group, false, block);
      return block;
    case WeightType::kQ5_K:
      read_k(p, b % group, true, block);
      return block;
    case WeightType::kQ6_K:
      read_q6_k(p, b % group, block);
      return block;
    case WeightType::kQ2_K:
      read_q2_k(p, b % group, block);
      return block;
    case WeightType::kQ3_K:
      read_q3_k(p, b % group, block);
      return block;
    case WeightType::kIQ4_NL:
      block.scale = half_at(p);
      read_codes(model::kIq4Codes, p + 2, block);
      return block;
    case WeightType::kIQ4_XS:
      read_iq4_xs(p, b % group, block);
      return block;
    case WeightType::kMXFP4:
      block.wide_scale = model::mxfp4_scale(p[0]);
      read_codes(model::kMxfp4Codes, p + 1, block);
      return block;
    case WeightType::kF32:
    case WeightType::kF16:
    case WeightType::kBF16:
      break;
  }
  return block;
}

}  // namespace outrider::engine::cpu
