#include "runtime/engine/packed_matrix.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace outrider::engine {
namespace {

void fill_floats(const model::Weight& weight, std::int64_t row, float* panel) {
  std::vector<float> numbers(static_cast<std::size_t>(weight.columns));
  for (std::int64_t lane = 0; lane < 16; ++lane) {
    if (row + lane < weight.rows) {
      weight.read_row(row + lane, numbers.data());
    } else {
      std::fill(numbers.begin(), numbers.end(), 0.0f);
    }
    for (std::size_t k = 0; k < numbers.size(); ++k)
      panel[k * 16 + static_cast<std::size_t>(lane)] = numbers[k];
  }
}

// One block of one row of a GGUF file, taken apart: halves as stored, and quants q such that the
// weight is scale * (q - zero) + minimum.
struct FileBlock {
  std::uint16_t scale = 0;
  std::uint16_t minimum = 0;
  std::uint8_t quants[32];
};

FileBlock read_block(Packing packing, const std::uint8_t* p) {
  FileBlock block;
  std::memcpy(&block.scale, p, 2);
  p += 2;
  if (packing == Packing::kU8) {
    // A signed byte plus 128 is the byte with its top bit turned.
    for (int i = 0; i < 32; ++i) block.quants[i] = static_cast<std::uint8_t>(p[i] ^ 0x80);
    return block;
  }
  if (packing == Packing::kU4Min) {
    std::memcpy(&block.minimum, p, 2);
    p += 2;
  }
  for (int i = 0; i < 16; ++i) {
    block.quants[i] = p[i] & 15;
    block.quants[16 + i] = p[i] >> 4;
  }
  return block;
}

// Writes one output's block into its lane of a panel's block; see Quants for the order.
void write_block(Packing packing, const FileBlock& block, std::size_t lane, std::uint8_t* out) {
  std::memcpy(out + 2 * lane, &block.scale, 2);
  out += 32;
  if (packing == Packing::kU4Min) {
    std::memcpy(out + 2 * lane, &block.minimum, 2);
    out += 32;
  }
  const bool four_bits = packing != Packing::kU8;
  for (std::size_t i = 0; i < (four_bits ? 16u : 32u); ++i) {
    const int high = four_bits ? block.quants[16 + i] << 4 : 0;
    out[64 * (i / 4) + 4 * lane + i % 4] = static_cast<std::uint8_t>(block.quants[i] | high);
  }
}

void fill_blocks(Packing packing, const model::Weight& weight, std::int64_t row,
                 std::uint8_t* panel) {
  const std::size_t blocks = static_cast<std::size_t>(weight.columns) / 32;
  const std::size_t file_block = static_cast<std::size_t>(model::block_shape(weight.type).bytes);
  const std::size_t block_bytes = panel_bytes(packing, 32);
  for (std::size_t lane = 0; lane < 16; ++lane) {
    const std::int64_t source = row + static_cast<std::int64_t>(lane);
    if (source >= weight.rows) continue;  // the panel starts as zeros
    const std::uint8_t* from = reinterpret_cast<const std::uint8_t*>(weight.row(source));
    for (std::size_t b = 0; b < blocks; ++b)
      write_block(packing, read_block(packing, from + b * file_block), lane,
                  panel + b * block_bytes);
  }
}

}  // namespace

Packing int8_packing(model::WeightType type) {
  switch (type) {
    case model::WeightType::kQ4_0:
      return Packing::kU4;
    case model::WeightType::kQ4_1:
      return Packing::kU4Min;
    case model::WeightType::kQ8_0:
      return Packing::kU8;
    case model::WeightType::kF32:
    case model::WeightType::kF16:
    case model::WeightType::kBF16:
      break;
  }
  throw std::logic_error("int8_packing: not a quantised type");
}

PackedMatrix::PackedMatrix(Packing packing, int outputs, int inputs)
    : packing_(packing),
      outputs_(outputs),
      inputs_(inputs),
      data_(static_cast<std::size_t>((outputs + 15) / 16) * panel_bytes(packing, inputs)) {}

void PackedMatrix::fill_panel(int panel, const model::Weight& weight) {
  const std::int64_t row = std::int64_t{16} * panel;
  const std::size_t size = panel_bytes(packing_, inputs_);
  std::uint8_t* target = data_.data() + static_cast<std::size_t>(panel) * size;
  if (packing_ == Packing::kF32) {
    fill_floats(weight, row, reinterpret_cast<float*>(target));
  } else {
    std::memset(target, 0, size);
    fill_blocks(packing_, weight, row, target);
  }
}

}  // namespace outrider::engine
