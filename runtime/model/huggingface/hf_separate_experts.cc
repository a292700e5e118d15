#include "runtime/model/huggingface/hf_separate_experts.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/error.h"

namespace outrider::model {
namespace {

constexpr std::int64_t kCodes = 32;  // of a block
constexpr std::int64_t kCodeBytes = 16;

/// The tensors of one name of a layer, and those that its rows are dealt out to in turn.
struct Alternating {
  std::string name;                     // "model.layers.0.mlp.experts.gate_up_proj"
  std::vector<std::string> into;        // names
  std::int64_t experts, rows, columns;  // of each of those
};

/// Rows of one part, whose codes and scales are apart.
class RowsOfBlocks : public RowMaker {
 public:
  /// @param parts  whose rows take turns; `part` is this one
  RowsOfBlocks(const SafeTensor& codes, const SafeTensor& scales, std::int64_t blocks,
               std::int64_t part, std::int64_t parts)
      : codes_(codes.bytes), scales_(scales.bytes), blocks_(blocks), part_(part), parts_(parts) {}

  void make(std::int64_t row, std::byte* out) const override {
    const std::int64_t first = (row * parts_ + part_) * blocks_;
    for (std::int64_t b = first; b < first + blocks_; ++b, out += kCodeBytes + 1) {
      out[0] = scales_[static_cast<std::size_t>(b)];
      reorder_codes(codes_.data() + b * kCodeBytes, out + 1);
    }
  }

 private:
  /// From two neighbours a byte, the first in its low half, to codes 0 to 15 in the low halves and 16 to 31 in the others.
  static void reorder_codes(const std::byte* neighbours, std::byte* halves) {
    const auto code = [&](std::int64_t i) {
      return (neighbours[i / 2] >> (4 * (i % 2))) & std::byte{15};
    };
    for (std::int64_t i = 0; i < kCodeBytes; ++i) halves[i] = code(i) | (code(i + kCodes / 2) << 4);
  }

  std::span<const std::byte> codes_, scales_;
  std::int64_t blocks_, part_, parts_;
};

/// Rows of one part, which are columns of each expert's matrix in the file.
class RowsOfColumns : public RowMaker {
 public:
  RowsOfColumns(std::span<const std::byte> numbers, std::int64_t size, const Alternating& of,
                std::int64_t part)
      : numbers_(numbers),
        size_(size),
        rows_(of.rows),
        columns_(of.columns),
        part_(part),
        parts_(std::ssize(of.into)) {}

  void make(std::int64_t row, std::byte* out) const override {
    const std::int64_t all_rows = rows_ * parts_;
    const std::int64_t first = row / rows_ * columns_ * all_rows + row % rows_ * parts_ + part_;
    for (std::int64_t c = 0; c < columns_; ++c, out += size_)
      std::memcpy(out, numbers_.data() + (first + c * all_rows) * size_,
                  static_cast<std::size_t>(size_));
  }

 private:
  std::span<const std::byte> numbers_;
  std::int64_t size_;  // bytes of a number
  std::int64_t rows_, columns_, part_, parts_;
};

class Separation {
 public:
  Separation(const std::string& folder, HfWeights& weights, Model& model)
      : folder_(folder), weights_(weights), model_(model) {}

  void separate(const Alternating& tensor) {
    if (find(tensor.name + "_blocks") != nullptr) {
      separate_blocks(tensor);
    } else {
      separate_transposed(tensor);
    }
    separate_bias(tensor);
  }

 private:
  const HfPart* find(const std::string& name) const {
    const auto found = weights_.parts.find(name);
    return found == weights_.parts.end() ? nullptr : &found->second;
  }

  /// @param bytes  whether its numbers are bytes
  const SafeTensor& required(const std::string& name, const std::vector<std::int64_t>& shape,
                             bool bytes) const {
    const HfPart* part = find(name);
    if (part == nullptr) throw InputError(fmt::format("{}: tensor '{}' is missing", folder_, name));
    if (part->tensor.shape != shape)
      throw InputError(fmt::format("{}: tensor '{}' has shape {} (expected {})", part->file, name,
                                   part->tensor.shape, shape));
    if (part->tensor.type.has_value() == bytes)
      throw InputError(fmt::format("{}: tensor '{}' holds {} (expected {})", part->file, name,
                                   bytes ? "floats" : "bytes", bytes ? "U8" : "F32, F16 or BF16"));
    return part->tensor;
  }

  /// Adds a matrix of the rows of all experts. @param bytes  of the file, which the rows are made of
  Weight& add(const std::string& name, WeightType type, std::int64_t rows, std::int64_t columns,
              std::span<const std::byte> bytes) {
    Weight weight;
    weight.name = name;
    weight.type = type;
    weight.rows = rows;
    weight.columns = columns;
    weight.bytes = bytes;
    const auto [added, is_new] = weights_.weights.emplace(name, std::move(weight));
    if (!is_new)
      throw InputError(
          fmt::format("{}: has tensor '{}' beside those that it is made of", folder_, name));
    return added->second;
  }

  void separate_blocks(const Alternating& of) {
    const std::int64_t parts = std::ssize(of.into);
    const std::int64_t all_rows = of.rows * parts;
    const std::int64_t blocks = of.columns / kCodes;
    const SafeTensor& codes =
        required(of.name + "_blocks", {of.experts, all_rows, blocks, kCodeBytes}, true);
    const SafeTensor& scales = required(of.name + "_scales", {of.experts, all_rows, blocks}, true);
    for (std::int64_t part = 0; part < parts; ++part)
      add(of.into[static_cast<std::size_t>(part)], WeightType::kMXFP4, of.experts * of.rows,
          of.columns, codes.bytes)
          .maker = std::make_shared<RowsOfBlocks>(codes, scales, blocks, part, parts);
  }

  void separate_transposed(const Alternating& of) {
    const std::int64_t parts = std::ssize(of.into);
    const SafeTensor& whole = required(of.name, {of.experts, of.columns, of.rows * parts}, false);
    for (std::int64_t part = 0; part < parts; ++part)
      add(of.into[static_cast<std::size_t>(part)], *whole.type, of.experts * of.rows, of.columns,
          whole.bytes)
          .maker =
          std::make_shared<RowsOfColumns>(whole.bytes, block_shape(*whole.type).bytes, of, part);
  }

  void separate_bias(const Alternating& of) {
    const std::int64_t parts = std::ssize(of.into);
    const std::string name = of.name + "_bias";
    const auto found = weights_.weights.find(name);
    if (found == weights_.weights.end())
      throw InputError(fmt::format("{}: tensor '{}' is missing", folder_, name));
    const Weight whole = found->second;
    if (whole.rows != of.experts || whole.columns != of.rows * parts)
      throw InputError(fmt::format("{}: tensor '{}' has shape [{}, {}] (expected [{}, {}])",
                                   folder_, name, whole.rows, whole.columns, of.experts,
                                   of.rows * parts));
    weights_.weights.erase(found);
    const std::int64_t size = block_shape(whole.type).bytes;
    for (std::int64_t part = 0; part < parts; ++part) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(of.experts * of.rows * size));
      for (std::int64_t i = 0; i < of.experts * of.rows; ++i)
        std::memcpy(bytes.data() + i * size, whole.bytes.data() + (i * parts + part) * size,
                    static_cast<std::size_t>(size));
      add(of.into[static_cast<std::size_t>(part)] + "_bias", whole.type, of.experts, of.rows,
          model_.keep(std::move(bytes)));
    }
  }

  const std::string& folder_;
  HfWeights& weights_;
  Model& model_;
};

}  // namespace

void separate_experts(const std::string& folder, HfWeights& weights, Model& model) {
  const ModelConfig& config = model.config;
  Separation separation(folder, weights, model);
  for (int layer = 0; layer < config.layers; ++layer) {
    const std::string prefix = fmt::format("model.layers.{}.mlp.experts.", layer);
    separation.separate({prefix + "gate_up_proj",
                         {prefix + "gate_proj", prefix + "up_proj"},
                         config.experts,
                         config.ffn_width,
                         config.width});
    separation.separate({prefix + "down_proj",
                         {prefix + "down_proj"},
                         config.experts,
                         config.width,
                         config.ffn_width});
  }
  weights.parts.clear();
}

}  // namespace outrider::model
