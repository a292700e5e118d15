#include "runtime/model/weight.h"

#include <bit>
#include <cstring>

#include "runtime/model/half_floats.h"

namespace outrider::model {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they lie");

constexpr int kBlock = 32;  // numbers in a block of every quantised type here

// The layouts of a block, and the order of operations, are those of gguf-py's quants.py: the low
// nibbles are numbers 0 to 15, the high ones 16 to 31; every product and sum is rounded to float.

void dequantise_q4_0(const std::byte* block, float* out) {
  const float scale = float_of_half(load_u16(block));
  for (int i = 0; i < kBlock / 2; ++i) {
    const auto pair = std::to_integer<int>(block[2 + i]);
    out[i] = scale * static_cast<float>((pair & 15) - 8);
    out[i + kBlock / 2] = scale * static_cast<float>((pair >> 4) - 8);
  }
}

void dequantise_q4_1(const std::byte* block, float* out) {
  const float scale = float_of_half(load_u16(block));
  const float minimum = float_of_half(load_u16(block + 2));
  for (int i = 0; i < kBlock / 2; ++i) {
    const auto pair = std::to_integer<int>(block[4 + i]);
    out[i] = scale * static_cast<float>(pair & 15) + minimum;
    out[i + kBlock / 2] = scale * static_cast<float>(pair >> 4) + minimum;
  }
}

void dequantise_q8_0(const std::byte* block, float* out) {
  const float scale = float_of_half(load_u16(block));
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
    case WeightType::kQ8_0:
      return {kBlock, 34};
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
    case WeightType::kQ8_0:
      return "Q8_0";
  }
  return "?";
}

void dequantise(WeightType type, const std::byte* source, std::int64_t count, float* out) {
  switch (type) {
    case WeightType::kF32:
      std::memcpy(out, source, static_cast<std::size_t>(count) * sizeof(float));
      return;
    case WeightType::kF16:
      for (std::int64_t i = 0; i < count; ++i) out[i] = float_of_half(load_u16(source + 2 * i));
      return;
    case WeightType::kBF16:
      for (std::int64_t i = 0; i < count; ++i) out[i] = float_of_bfloat16(load_u16(source + 2 * i));
      return;
    case WeightType::kQ4_0:
      return dequantise_blocks(dequantise_q4_0, block_shape(type), source, count, out);
    case WeightType::kQ4_1:
      return dequantise_blocks(dequantise_q4_1, block_shape(type), source, count, out);
    case WeightType::kQ8_0:
      return dequantise_blocks(dequantise_q8_0, block_shape(type), source, count, out);
  }
}

std::int64_t Weight::row_bytes() const {
  const BlockShape block = block_shape(type);
  return columns / block.numbers * block.bytes;
}

const std::byte* Weight::row(std::int64_t r) const {
  const std::int64_t stored = row_order.empty() ? r : row_order[static_cast<std::size_t>(r)];
  return bytes.data() + stored * row_bytes();
}

void Weight::read_row(std::int64_t r, float* out) const { dequantise(type, row(r), columns, out); }

}  // namespace outrider::model
