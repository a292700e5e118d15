#include "runtime/model/assemble_weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "runtime/base/error.h"

namespace outrider::model {
namespace {

/// [r] the stored row of row r of part `part`, if each head has its `parts` parts in turn.
std::vector<std::int32_t> head_by_head(std::int64_t rows, std::size_t part, std::size_t parts,
                                       int head_width) {
  std::vector<std::int32_t> order;
  order.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t before =
        r / head_width * static_cast<std::int64_t>(parts) + static_cast<std::int64_t>(part);
    order.push_back(static_cast<std::int32_t>(before * head_width + r % head_width));
  }
  return order;
}

/// A view of rows [first, first + rows) of a matrix.
Weight part_of(const Weight& whole, std::int64_t first, std::int64_t rows) {
  Weight part = whole;
  part.rows = rows;
  if (part.maker) {
    part.first_made += first;
    return part;
  }
  part.bytes = whole.bytes.subspan(static_cast<std::size_t>(first * whole.row_bytes()),
                                   static_cast<std::size_t>(rows * whole.row_bytes()));
  return part;
}

class Assembly {
 public:
  Assembly(NamedWeights weights, const TensorNames& names, const std::string& file,
           const ModelConfig& config)
      : weights_(std::move(weights)), names_(names), file_(file), config_(config) {}

  /// Removes and returns a weight; nothing if there is none of this name.
  std::optional<Weight> take(const std::string& name, std::int64_t rows, std::int64_t columns) {
    auto found = weights_.find(fmt::format("{}{}", names_.base, name));
    if (found == weights_.end()) found = weights_.find(name);
    if (found == weights_.end()) return std::nullopt;
    Weight weight = std::move(found->second);
    weights_.erase(found);
    if (columns == 1) make_column(weight);
    if (weight.rows != rows || weight.columns != columns) {
      throw InputError(fmt::format("{}: tensor '{}' has shape [{}, {}] (expected [{}, {}])", file_,
                                   weight.name, weight.rows, weight.columns, rows, columns));
    }
    return weight;
  }

  Weight take_required(const std::string& name, std::int64_t rows, std::int64_t columns) {
    auto weight = take(name, rows, columns);
    if (!weight)
      throw InputError(fmt::format("{}: tensor '{}{}' is missing", file_, names_.base, name));
    return *std::move(weight);
  }

  /// Fills the slots of a layer that share the tensor `name` with their rows of it.
  void fill(std::span<const LayerTensor> sharers, const std::string& name, LayerWeights& layer) {
    std::int64_t rows = 0;
    for (const LayerTensor& tensor : sharers) rows += extent_of(tensor.rows, config_);
    const Weight whole = take_required(name, rows, extent_of(sharers.front().columns, config_));
    std::int64_t first = 0;
    for (std::size_t i = 0; i < sharers.size(); ++i) {
      const auto slot = sharers[i].slot;
      const std::int64_t own_rows = extent_of(sharers[i].rows, config_);
      Weight part = part_of(whole, first, own_rows);
      first += part.rows;
      const bool rotated = slot == &LayerWeights::q || slot == &LayerWeights::k;
      if (rotated && names_.heads == RowOrder::kNeighbours)
        part.row_order = halves_from_neighbours(own_rows, config_.head_width);
      if (sharers.size() > 1 && names_.heads == RowOrder::kHeadByHead) {
        part.bytes = whole.bytes;
        part.row_order = head_by_head(own_rows, i, sharers.size(), config_.head_width);
      }
      layer.*slot = std::move(part);
    }
  }

  /// Fills a slot of every expert of a layer.
  /// @param prefix  of the layer's names
  void fill_experts(const ExpertTensor& tensor, const std::string& prefix, LayerWeights& layer) {
    const std::int64_t rows = extent_of(tensor.rows, config_);
    const std::int64_t columns = extent_of(tensor.columns, config_);
    const std::string name = prefix + std::string(tensor.name);
    const std::size_t number = name.find("{}");
    const auto slot = [&](int expert) -> Weight& {
      const auto index = static_cast<std::size_t>(expert);
      if (layer.experts.size() <= index) layer.experts.resize(index + 1);
      return layer.experts[index].*tensor.slot;
    };
    if (number != std::string::npos) {
      for (int e = 0; e < config_.experts; ++e)
        slot(e) =
            take_required(std::string(name).replace(number, 2, std::to_string(e)), rows, columns);
      return;
    }
    const Weight all = take_required(name, config_.experts * rows, columns);
    for (int e = 0; e < config_.experts; ++e) slot(e) = part_of(all, e * rows, rows);
  }

  void refuse_left_over() const {
    if (weights_.empty()) return;
    throw InputError(fmt::format(
        "{}: tensor '{}' is not part of the {} architecture as this program computes it{}", file_,
        weights_.begin()->first, config_.architecture,
        weights_.size() > 1 ? fmt::format(" (nor are {} others)", weights_.size() - 1) : ""));
  }

 private:
  /// A vector, stored as a row, becomes a column.
  void make_column(Weight& weight) const {
    if (block_shape(weight.type).numbers > 1)
      throw InputError(fmt::format("{}: tensor '{}' is {} (expected F32, F16 or BF16)", file_,
                                   weight.name, type_name(weight.type)));
    if (weight.rows == 1) std::swap(weight.rows, weight.columns);
  }

  NamedWeights weights_;
  const TensorNames& names_;
  const std::string& file_;
  const ModelConfig& config_;
};

}  // namespace

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

void assemble_weights(NamedWeights weights, const TensorNames& names, const std::string& file,
                      Model& model) {
  const ModelConfig& config = model.config;
  // A bound for the allocation below: a file cannot have more layers than tensors.
  if (static_cast<std::size_t>(config.layers) > weights.size()) {
    throw InputError(fmt::format("{}: has {} tensors, too few for {} layers", file, weights.size(),
                                 config.layers));
  }
  Assembly assembly(std::move(weights), names, file, config);

  for (const ModelTensor& tensor : names.model) {
    const std::string name(tensor.name);
    const std::int64_t rows = extent_of(tensor.rows, config);
    const std::int64_t columns = extent_of(tensor.columns, config);
    auto weight = tensor.may_be_absent ? assembly.take(name, rows, columns)
                                       : assembly.take_required(name, rows, columns);
    if (weight) model.*tensor.slot = *std::move(weight);
  }
  model.tied = model.head.bytes.empty();
  if (model.tied) model.head = model.embedding;

  model.layers.resize(static_cast<std::size_t>(config.layers));
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    for (const std::span<const LayerTensor> tensors : {names.layer, names.more}) {
      for (auto first = tensors.begin(); first != tensors.end();) {
        const auto last = std::find_if(first, tensors.end(), [&](const LayerTensor& tensor) {
          return tensor.name != first->name;
        });
        assembly.fill({first, last}, fmt::format("{}{}.{}", names.layer_prefix, layer, first->name),
                      model.layers[layer]);
        first = last;
      }
    }
    for (const ExpertTensor& tensor : names.experts)
      assembly.fill_experts(tensor, fmt::format("{}{}.", names.layer_prefix, layer),
                            model.layers[layer]);
  }
  assembly.refuse_left_over();
}

}  // namespace outrider::model
