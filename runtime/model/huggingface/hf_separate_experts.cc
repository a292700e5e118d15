#include "runtime/model/huggingface/hf_separate_experts.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstring>
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

  /// Keeps a matrix of the rows of all experts.
  void add(const std::string& name, WeightType type, std::int64_t rows, std::int64_t columns,
           std::vector<std::byte> bytes) {
    Weight weight;
    weight.name = name;
    weight.type = type;
    weight.rows = rows;
    weight.columns = columns;
    weight.bytes = model_.keep(std::move(bytes));
    weights_.weights.emplace(name, std::move(weight));
  }

  void separate_blocks(const Alternating& of) {
    const auto parts = static_cast<std::int64_t>(of.into.size());
    const std::int64_t all_rows = of.rows * parts;
    const std::int64_t blocks = of.columns / kCodes;
    const SafeTensor& codes =
        required(of.name + "_blocks", {of.experts, all_rows, blocks, kCodeBytes}, true);
    const SafeTensor& scales = required(of.name + "_scales", {of.experts, all_rows, blocks}, true);
    for (std::int64_t part = 0; part < parts; ++part) {
      std::vector<std::byte> bytes(
          static_cast<std::size_t>(of.experts * of.rows * blocks * (kCodeBytes + 1)));
      std::byte* out = bytes.data();
      for (std::int64_t row = 0; row < of.experts * of.rows; ++row) {
        const std::int64_t first = (row * parts + part) * blocks;
        for (std::int64_t b = first; b < first + blocks; ++b, out += kCodeBytes + 1) {
          out[0] = scales.bytes[static_cast<std::size_t>(b)];
          reorder_codes(codes.bytes.data() + b * kCodeBytes, out + 1);
        }
      }
      add(of.into[static_cast<std::size_t>(part)], WeightType::kMXFP4, of.experts * of.rows,
          of.columns, std::move(bytes));
    }
  }

  /// From two neighbours a byte, the first in its low half, to codes 0 to 15 in the low halves and 16 to 31 in the others.
  static void reorder_codes(const std::byte* neighbours, std::byte* halves) {
    const auto code = [&](std::int64_t i) {
      return (neighbours[i / 2] >> (4 * (i % 2))) & std::byte{15};
    };
    for (std::int64_t i = 0; i < kCodeBytes; ++i) halves[i] = code(i) | (code(i + kCodes / 2) << 4);
  }

  void separate_transposed(const Alternating& of) {
    const auto parts = static_cast<std::int64_t>(of.into.size());
    const std::int64_t all_rows = of.rows * parts;
    const SafeTensor& whole = required(of.name, {of.experts, of.columns, all_rows}, false);
    const std::int64_t size = block_shape(*whole.type).bytes;
    for (std::int64_t part = 0; part < parts; ++part) {
      std::vector<std::byte> bytes(
          static_cast<std::size_t>(of.experts * of.rows * of.columns * size));
      std::byte* out = bytes.data();
      for (std::int64_t e = 0; e < of.experts; ++e)
        for (std::int64_t r = 0; r < of.rows; ++r)
          for (std::int64_t c = 0; c < of.columns; ++c, out += size)
            std::memcpy(
                out,
                whole.bytes.data() + ((e * of.columns + c) * all_rows + r * parts + part) * size,
                static_cast<std::size_t>(size));
      add(of.into[static_cast<std::size_t>(part)], *whole.type, of.experts * of.rows, of.columns,
          std::move(bytes));
    }
  }

  void separate_bias(const Alternating& of) {
    const auto parts = static_cast<std::int64_t>(of.into.size());
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
          std::move(bytes));
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
