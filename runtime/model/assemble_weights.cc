#include "runtime/model/assemble_weights.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "runtime/base/error.h"

namespace outrider::model {
namespace {

/// Which stored row is row r, when each head's rows are stored as neighbouring pairs.
std::vector<std::int32_t> halves_from_neighbours(std::int64_t rows, int head_width) {
  std::vector<std::int32_t> order;
  order.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t in_head = r % head_width;
    const std::int64_t half = in_head / (head_width / 2);
    const std::int64_t pair = in_head % (head_width / 2);
    order.push_back(static_cast<std::int32_t>(r - in_head + 2 * pair + half));
  }
  return order;
}

class Assembly {
 public:
  Assembly(NamedWeights weights, const std::string& file, const ModelConfig& config)
      : weights_(std::move(weights)), file_(file), config_(config) {}

  /// Takes a weight out; nothing when the file has none of this name.
  std::optional<Weight> take(const std::string& name, Extent rows, Extent columns) {
    const auto found = weights_.find(name);
    if (found == weights_.end()) return std::nullopt;
    Weight weight = std::move(found->second);
    weights_.erase(found);
    const std::int64_t expected_rows = extent_of(rows, config_);
    const std::int64_t expected_columns = extent_of(columns, config_);
    if (weight.rows != expected_rows || weight.columns != expected_columns) {
      throw InputError(fmt::format("{}: tensor '{}' has shape [{}, {}] (expected [{}, {}])", file_,
                                   name, weight.rows, weight.columns, expected_rows,
                                   expected_columns));
    }
    return weight;
  }

  Weight take_required(const std::string& name, Extent rows, Extent columns) {
    auto weight = take(name, rows, columns);
    if (!weight) throw InputError(fmt::format("{}: tensor '{}' is missing", file_, name));
    return *std::move(weight);
  }

  void refuse_left_over() const {
    if (weights_.empty()) return;
    throw InputError(fmt::format(
        "{}: tensor '{}' is not part of the {} architecture as this program computes it{}", file_,
        weights_.begin()->first, config_.architecture,
        weights_.size() > 1 ? fmt::format(" (nor are {} others)", weights_.size() - 1) : ""));
  }

 private:
  NamedWeights weights_;
  const std::string& file_;
  const ModelConfig& config_;
};

}  // namespace

void assemble_weights(NamedWeights weights, const TensorNames& names, const std::string& file,
                      Model& model) {
  const ModelConfig& config = model.config;
  // A bound for the allocation below: a file cannot have more layers than tensors.
  if (static_cast<std::size_t>(config.layers) > weights.size()) {
    throw InputError(fmt::format("{}: has {} tensors, too few for {} layers", file, weights.size(),
                                 config.layers));
  }
  Assembly assembly(std::move(weights), file, config);

  for (const ModelTensor& tensor : names.model) {
    const std::string name(tensor.name);
    auto weight = tensor.may_be_absent ? assembly.take(name, tensor.rows, tensor.columns)
                                       : assembly.take_required(name, tensor.rows, tensor.columns);
    if (weight) model.*tensor.slot = *std::move(weight);
  }
  model.tied = model.head.bytes.empty();
  if (model.tied) model.head = model.embedding;

  model.layers.resize(static_cast<std::size_t>(config.layers));
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    const auto take = [&](const LayerTensor& tensor) {
      const std::string name = fmt::format("{}{}.{}", names.layer_prefix, layer, tensor.name);
      Weight weight = assembly.take_required(name, tensor.rows, tensor.columns);
      const bool rotated = tensor.slot == &LayerWeights::q || tensor.slot == &LayerWeights::k;
      if (rotated && names.heads == RowOrder::kNeighbours) {
        weight.row_order = halves_from_neighbours(weight.rows, config.head_width);
      }
      model.layers[layer].*tensor.slot = std::move(weight);
    };
    for (const LayerTensor& tensor : names.layer) take(tensor);
    for (const LayerTensor& tensor : names.more) take(tensor);
  }
  assembly.refuse_left_over();
}

}  // namespace outrider::model
