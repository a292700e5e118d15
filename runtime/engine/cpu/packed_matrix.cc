#include "runtime/engine/cpu/packed_matrix.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "runtime/engine/cpu/file_block.h"

namespace outrider::engine::cpu {
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

// Two-byte floats as in the file.
void fill_words(const model::Weight& weight, std::int64_t row, std::uint16_t* panel) {
  const std::size_t inputs = static_cast<std::size_t>(weight.columns);
  std::fill_n(panel, inputs * 16, std::uint16_t{0});
  std::vector<std::byte> made;
  for (std::int64_t lane = 0; lane < 16 && row + lane < weight.rows; ++lane) {
    const std::byte* source = weight.row(row + lane, made);
    for (std::size_t k = 0; k < inputs; ++k) std::memcpy(panel + k * 16 + lane, source + 2 * k, 2);
  }
}

// Writes block `b` of one output into its lane of a panel; see BlockLayout and Quants for the order.
template <typename Layout>
void write_block(const FileBlock& block, std::size_t b, std::size_t lane, std::uint8_t* panel) {
  std::uint8_t* group = panel + b / Layout::kGroup * Layout::kGroupBytes;
  const std::size_t i = b % Layout::kGroup;
  if constexpr (Layout::kForm == ScaleForm::kFloat) {
    std::memcpy(group + 4 * lane, &block.wide_scale, 4);
  } else {
    std::memcpy(group + 2 * lane, &block.scale, 2);
  }
  if constexpr (Layout::kForm == ScaleForm::kHalfAndMin ||
                Layout::kForm == ScaleForm::kSuperAndMin ||
                Layout::kForm == ScaleForm::kSuperHalvesAndMin)
    std::memcpy(group + 32 + 2 * lane, &block.minimum, 2);
  if constexpr (Layout::kForm == ScaleForm::kSuperAndMin) {
    group[64 + 16 * i + lane] = block.factors[0];
    group[64 + 128 + 16 * i + lane] = block.factors[1];
  } else if constexpr (Layout::kForm == ScaleForm::kSuperHalves) {
    group[32 + 32 * i + lane] = block.factors[0];
    group[32 + 32 * i + 16 + lane] = block.factors[1];
  } else if constexpr (Layout::kForm == ScaleForm::kSuperHalvesAndMin) {
    group[64 + 32 * i + lane] = block.factors[0];
    group[64 + 32 * i + 16 + lane] = block.factors[1];
  } else if constexpr (Layout::kForm == ScaleForm::kSuper) {
    group[32 + 16 * i + lane] = block.factors[0];
  }
  std::uint8_t* out = group + Layout::kHeader + i * Layout::kQuants;
  const auto put = [](std::uint8_t& byte, int bits) {
    byte = static_cast<std::uint8_t>(byte | bits);
  };
  for (std::size_t n = 0; n < 32; ++n) {
    const std::size_t g = n / 4, offset = 4 * lane + n % 4;
    const int quant = block.quants[n];
    if constexpr (Layout::kBits == 8) {
      out[64 * g + offset] = block.quants[n];
      continue;
    }
    if constexpr (Layout::kBits == 2) {
      put(out[64 * (g / 4) + offset], quant << (2 * (g % 4)));
      continue;
    }
    put(out[64 * (g % 4) + offset], (quant & 15) << (g < 4 ? 0 : 4));
    if constexpr (Layout::kBits == 5) put(out[256 + offset], quant >> 4 << g);
    if constexpr (Layout::kBits == 6)
      put(out[256 + 64 * (g / 4) + offset], quant >> 4 << (2 * (g % 4)));
  }
}

void fill_blocks(Packing packing, const model::Weight& weight, std::int64_t row,
                 std::uint8_t* panel) {
  const std::size_t blocks = static_cast<std::size_t>(weight.columns) / 32;
  std::vector<std::byte> made;
  for (std::size_t lane = 0; lane < 16; ++lane) {
    const std::int64_t source = row + static_cast<std::int64_t>(lane);
    if (source >= weight.rows) continue;  // panels are zeroed first
    const std::byte* stored = weight.row(source, made);
    for (std::size_t b = 0; b < blocks; ++b) {
      const FileBlock block = read_file_block(weight.type, stored, b);
      visit_layout(packing,
                   [&](auto layout) { write_block<decltype(layout)>(block, b, lane, panel); });
    }
  }
}

}  // namespace

Packing own_packing(model::WeightType type) {
  switch (type) {
    case model::WeightType::kQ4_0:
      return Packing::kU4;
    case model::WeightType::kQ4_1:
      return Packing::kU4Min;
    case model::WeightType::kQ5_0:
      return Packing::kU5;
    case model::WeightType::kQ5_1:
      return Packing::kU5Min;
    case model::WeightType::kQ8_0:
    case model::WeightType::kIQ4_NL:
      return Packing::kU8;
    case model::WeightType::kQ4_K:
      return Packing::kU4Super;
    case model::WeightType::kQ5_K:
      return Packing::kU5Super;
    case model::WeightType::kQ6_K:
    case model::WeightType::kQ3_K:
      return Packing::kU6Super;
    case model::WeightType::kQ2_K:
      return Packing::kU2Super;
    case model::WeightType::kIQ4_XS:
      return Packing::kU8Super;
    case model::WeightType::kMXFP4:
      return Packing::kU8Float;
    case model::WeightType::kF16:
      return Packing::kF16;
    case model::WeightType::kBF16:
      return Packing::kBf16;
    case model::WeightType::kF32:
      break;
  }
  return Packing::kF32;
}

Packing packing_of(const NumericsPlan& plan, model::WeightType type) {
  if (plan.numerics == Numerics::kF32) return Packing::kF32;
  const Packing own = own_packing(type);
  return plan.quantise && is_float(own) ? Packing::kU8 : own;
}

void PackedMatrix::fill_panel(int panel, const model::Weight& weight) {
  const std::int64_t row = std::int64_t{16} * panel;
  const std::size_t size = panel_bytes(packing_, inputs_);
  std::uint8_t* target = data_ + static_cast<std::size_t>(panel) * size;
  if (packing_ == Packing::kF32) {
    fill_floats(weight, row, reinterpret_cast<float*>(target));
  } else if (is_float(packing_)) {
    fill_words(weight, row, reinterpret_cast<std::uint16_t*>(target));
  } else {
    std::memset(target, 0, size);
    fill_blocks(packing_, weight, row, target);
  }
}

}  // namespace outrider::engine::cpu
