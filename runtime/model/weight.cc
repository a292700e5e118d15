#include "runtime/model/weight.h"

#include <bit>
#include <cstring>
#include <stdexcept>

#include "runtime/base/half.h"
#include "runtime/model/code_books.h"
#include "runtime/model/k_scales.h"

namespace outrider::model {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read without byte swaps");

constexpr int kBlock = 32;        // numbers in a block
constexpr int kSuperBlock = 256;  // of the K types: eight or sixteen blocks under one header

std::uint16_t word_at(const std::byte* source) {
  std::uint16_t word;
  std::memcpy(&word, source, sizeof word);
  return word;
}
float half_at(const std::byte* source) { return half_to_float(static_cast<Half>(word_at(source))); }
float bfloat16_at(const std::byte* source) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(word_at(source)) << 16);
}

// The layouts of a block, and the order of operations, are those of gguf-py's quants.py: the low
// nibbles are numbers 0 to 15, the high ones 16 to 31; every product and sum is rounded to float.

void dequantise_q4_0(const std::byte* block, float* out) {
  const float scale = half_at(block);
  for (int i = 0; i < kBlock / 2; ++i) {
    const auto pair = std::to_integer<int>(block[2 + i]);
    out[i] = scale * static_cast<float>((pair & 15) - 8);
    out[i + kBlock / 2] = scale * static_cast<float>((pair >> 4) - 8);
  }
}

void dequantise_q4_1(const std::byte* block, float* out) {
  const float scale = half_at(block);
  const float minimum = half_at(block + 2);
  for (int i = 0; i < kBlock / 2; ++i) {
    const auto pair = std::to_integer<int>(block[4 + i]);
    out[i] = scale * static_cast<float>(pair & 15) + minimum;
    out[i + kBlock / 2] = scale * static_cast<float>(pair >> 4) + minimum;
  }
}

// The fifth bit of number i is bit i of a word before the nibbles.
void read_fifths(const std::byte* source, int* quants) {
  std::uint32_t fifths;
  std::memcpy(&fifths, source, 4);
  for (int i = 0; i < kBlock; ++i) {
    const auto pair = std::to_integer<int>(source[4 + i % 16]);
    quants[i] = (i < 16 ? pair & 15 : pair >> 4) | static_cast<int>(fifths >> i & 1) << 4;
  }
}

void dequantise_q5_0(const std::byte* block, float* out) {
  const float scale = half_at(block);
  int quants[kBlock];
  read_fifths(block + 2, quants);
  for (int i = 0; i < kBlock; ++i) out[i] = scale * static_cast<float>(quants[i] - 16);
}

void dequantise_q5_1(const std::byte* block, float* out) {
  const float scale = half_at(block);
  const float minimum = half_at(block + 2);
  int quants[kBlock];
  read_fifths(block + 4, quants);
  for (int i = 0; i < kBlock; ++i) out[i] = scale * static_cast<float>(quants[i]) + minimum;
}

// Q4_K and Q5_K: two halves, twelve bytes of factors, for Q5_K the fifth bits (bit b of byte n is
// that of number n of block b), then the nibbles, two blocks to 32 bytes.
void dequantise_k(const std::byte* super, bool has_fifths, float* out) {
  const float scale = half_at(super);
  const float minimum = half_at(super + 2);
  const std::byte* fifths = super + 16;
  const std::byte* nibbles = super + (has_fifths ? 48 : 16);
  for (int b = 0; b < 8; ++b) {
    const KScale factors =
        k_scale(reinterpret_cast<const std::uint8_t*>(super + 4), static_cast<std::size_t>(b));
    const float block_scale = scale * static_cast<float>(factors.scale);
    const float block_minimum = minimum * static_cast<float>(factors.minimum);
    for (int n = 0; n < kBlock; ++n) {
      const auto pair = std::to_integer<int>(nibbles[b / 2 * kBlock + n]);
      int quant = b % 2 == 0 ? pair & 15 : pair >> 4;
      if (has_fifths) quant |= (std::to_integer<int>(fifths[n]) >> b & 1) << 4;
      out[b * kBlock + n] = block_scale * static_cast<float>(quant) - block_minimum;
    }
  }
}

void dequantise_q4_k(const std::byte* super, float* out) { dequantise_k(super, false, out); }
void dequantise_q5_k(const std::byte* super, float* out) { dequantise_k(super, true, out); }

// 128 bytes of nibbles, 64 of upper bits, sixteen signed factors, a half. Of each 128 numbers, 64
// bytes hold the nibbles: low ones of both runs of 32, then high ones.
void dequantise_q6_k(const std::byte* super, float* out) {
  const float scale = half_at(super + 208);
  for (int b = 0; b < 8; ++b) {
    const int half = b / 4, part = b % 4;
    for (int n = 0; n < kBlock; ++n) {
      const auto pair = std::to_integer<int>(super[half * 64 + part % 2 * kBlock + n]);
      const auto upper = std::to_integer<int>(super[128 + half * kBlock + n]);
      const int quant = (part < 2 ? pair & 15 : pair >> 4) | (upper >> (2 * part) & 3) << 4;
      const auto factor = std::to_integer<std::int8_t>(super[192 + 2 * b + n / 16]);
      out[b * kBlock + n] = scale * static_cast<float>(factor) * static_cast<float>(quant - 32);
    }
  }
}

// Sixteen bytes, each a factor below and one of the minimum above, 64 of two bits, two halves. Of each 128 numbers, 32
// bytes hold two bits of four runs of 32.
void dequantise_q2_k(const std::byte* super, float* out) {
  const float scale = half_at(super + 80);
  const float minimum = half_at(super + 82);
  for (int b = 0; b < 8; ++b) {
    for (int n = 0; n < kBlock; ++n) {
      const auto factors = std::to_integer<int>(super[2 * b + n / 16]);
      const auto four = std::to_integer<int>(super[16 + b / 4 * kBlock + n]);
      out[b * kBlock + n] =
          scale * static_cast<float>(factors & 15) * static_cast<float>(four >> (2 * (b % 4)) & 3) -
          minimum * static_cast<float>(factors >> 4);
    }
  }
}

// 32 bytes of third bits (bit b of byte n is that of number n of block b; none is 4 less), 64 of two bits as in Q2_K,
// twelve of factors, a half.
void dequantise_q3_k(const std::byte* super, float* out) {
  const float scale = half_at(super + 108);
  for (int b = 0; b < 8; ++b) {
    for (int n = 0; n < kBlock; ++n) {
      const int factor =
          q3_k_factor(reinterpret_cast<const std::uint8_t*>(super + 96), 2 * b + n / 16);
      const auto four = std::to_integer<int>(super[32 + b / 4 * kBlock + n]);
      const bool third = (std::to_integer<int>(super[n]) >> b & 1) != 0;
      const int quant = (four >> (2 * (b % 4)) & 3) - (third ? 0 : 4);
      out[b * kBlock + n] = scale * static_cast<float>(factor) * static_cast<float>(quant);
    }
  }
}

/// 32 nibbles that stand for numbers: the low ones are numbers 0 to 15.
void dequantise_codes(const std::int8_t* codes, const std::byte* nibbles, float scale, float* out) {
  for (int i = 0; i < kBlock / 2; ++i) {
    const auto pair = std::to_integer<int>(nibbles[i]);
    out[i] = scale * static_cast<float>(codes[pair & 15]);
    out[i + kBlock / 2] = scale * static_cast<float>(codes[pair >> 4]);
  }
}

void dequantise_iq4_nl(const std::byte* block, float* out) {
  dequantise_codes(kIq4Codes, block + 2, half_at(block), out);
}

// A half, a word of the factors' upper bits, four bytes of their low ones, the nibbles.
void dequantise_iq4_xs(const std::byte* super, float* out) {
  const float scale = half_at(super);
  for (int b = 0; b < 8; ++b) {
    const int factor =
        iq4_xs_factor(word_at(super + 2), reinterpret_cast<const std::uint8_t*>(super + 4), b);
    dequantise_codes(kIq4Codes, super + 8 + 16 * b, scale * static_cast<float>(factor),
                     out + b * kBlock);
  }
}

void dequantise_mxfp4(const std::byte* block, float* out) {
  dequantise_codes(kMxfp4Codes, block + 1, mxfp4_scale(std::to_integer<std::uint8_t>(block[0])),
                   out);
}

void dequantise_q8_0(const std::byte* block, float* out) {
  const float scale = half_at(block);
  for (int i = 0; i < kBlock; ++i) {
    out[i] = scale * static_cast<float>(std::to_integer<std::int8_t>(block[2 + i]));
  }
}

using DequantiseBlock = void (*)(const std::byte*, float*);

void dequantise_blocks(DequantiseBlock dequantise_block, BlockShape shape, const std::byte* source,
                       std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; i += shape.numbers, source += shape.bytes) {
    dequantise_block(source, out + i);
  }
}

}  // namespace

float mxfp4_scale(std::uint8_t exponent) {
  // 2^-128 and 2^-127 are subnormal.
  return std::bit_cast<float>(exponent < 2 ? std::uint32_t{0x00200000} << exponent
                                           : static_cast<std::uint32_t>(exponent - 1) << 23);
}

BlockShape block_shape(WeightType type) {
  switch (type) {
    case WeightType::kF32:
      return {1, 4};
    case WeightType::kF16:
    case WeightType::kBF16:
      return {1, 2};
    case WeightType::kQ4_0:
      return {kBlock, 18};
    case WeightType::kQ4_1:
      return {kBlock, 20};
    case WeightType::kQ5_0:
      return {kBlock, 22};
    case WeightType::kQ5_1:
      return {kBlock, 24};
    case WeightType::kQ8_0:
      return {kBlock, 34};
    case WeightType::kQ4_K:
      return {kSuperBlock, 144};
    case WeightType::kQ5_K:
      return {kSuperBlock, 176};
    case WeightType::kQ6_K:
      return {kSuperBlock, 210};
    case WeightType::kQ2_K:
      return {kSuperBlock, 84};
    case WeightType::kQ3_K:
      return {kSuperBlock, 110};
    case WeightType::kIQ4_NL:
      return {kBlock, 18};
    case WeightType::kIQ4_XS:
      return {kSuperBlock, 136};
    case WeightType::kMXFP4:
      return {kBlock, 17};
  }
  return {1, 1};
}

const char* type_name(WeightType type) {
  switch (type) {
    case WeightType::kF32:
      return "F32";
    case WeightType::kF16:
      return "F16";
    case WeightType::kBF16:
      return "BF16";
    case WeightType::kQ4_0:
      return "Q4_0";
    case WeightType::kQ4_1:
      return "Q4_1";
    case WeightType::kQ5_0:
      return "Q5_0";
    case WeightType::kQ5_1:
      return "Q5_1";
    case WeightType::kQ8_0:
      return "Q8_0";
    case WeightType::kQ4_K:
      return "Q4_K";
    case WeightType::kQ5_K:
      return "Q5_K";
    case WeightType::kQ6_K:
      return "Q6_K";
    case WeightType::kQ2_K:
      return "Q2_K";
    case WeightType::kQ3_K:
      return "Q3_K";
    case WeightType::kIQ4_NL:
      return "IQ4_NL";
    case WeightType::kIQ4_XS:
      return "IQ4_XS";
    case WeightType::kMXFP4:
      return "MXFP4";
  }
  return "?";
}

void dequantise(WeightType type, const std::byte* source, std::int64_t count, float* out) {
  switch (type) {
    case WeightType::kF32:
      std::memcpy(out, source, static_cast<std::size_t>(count) * sizeof(float));
      return;
    case WeightType::kF16:
      for (std::int64_t i = 0; i < count; ++i) out[i] = half_at(source + 2 * i);
      return;
    case WeightType::kBF16:
      for (std::int64_t i = 0; i < count; ++i) out[i] = bfloat16_at(source + 2 * i);
      return;
    case WeightType::kQ4_0:
      return dequantise_blocks(dequantise_q4_0, block_shape(type), source, count, out);
    case WeightType::kQ4_1:
      return dequantise_blocks(dequantise_q4_1, block_shape(type), source, count, out);
    case WeightType::kQ5_0:
      return dequantise_blocks(dequantise_q5_0, block_shape(type), source, count, out);
    case WeightType::kQ5_1:
      return dequantise_blocks(dequantise_q5_1, block_shape(type), source, count, out);
    case WeightType::kQ4_K:
      return dequantise_blocks(dequantise_q4_k, block_shape(type), source, count, out);
    case WeightType::kQ5_K:
      return dequantise_blocks(dequantise_q5_k, block_shape(type), source, count, out);
    case WeightType::kQ6_K:
      return dequantise_blocks(dequantise_q6_k, block_shape(type), source, count, out);
    case WeightType::kQ2_K:
      return dequantise_blocks(dequantise_q2_k, block_shape(type), source, count, out);
    case WeightType::kQ3_K:
      return dequantise_blocks(dequantise_q3_k, block_shape(type), source, count, out);
    case WeightType::kIQ4_NL:
      return dequantise_blocks(dequantise_iq4_nl, block_shape(type), source, count, out);
    case WeightType::kIQ4_XS:
      return dequantise_blocks(dequantise_iq4_xs, block_shape(type), source, count, out);
    case WeightType::kMXFP4:
      return dequantise_blocks(dequantise_mxfp4, block_shape(type), source, count, out);
    case WeightType::kQ8_0:
      return dequantise_blocks(dequantise_q8_0, block_shape(type), source, count, out);
  }
}

std::int64_t Weight::row_bytes() const {
  const BlockShape block = block_shape(type);
  return columns / block.numbers * block.bytes;
}

const std::byte* Weight::row(std::int64_t r) const {
  if (maker) throw std::logic_error("Weight: the rows of '" + name + "' are made");
  const std::int64_t stored = row_order.empty() ? r : row_order[static_cast<std::size_t>(r)];
  return bytes.data() + stored * row_bytes();
}

const std::byte* Weight::row(std::int64_t r, std::vector<std::byte>& made) const {
  if (!maker) return row(r);
  made.resize(static_cast<std::size_t>(row_bytes()));
  maker->make(first_made + r, made.data());
  return made.data();
}

void Weight::read_row(std::int64_t r, float* out) const {
  std::vector<std::byte> made;
  dequantise(type, row(r, made), columns, out);
}

}  // namespace outrider::model
