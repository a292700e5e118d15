#include "runtime/model/exported_tensors.h"

#include <fmt/core.h>

#include <cstring>
#include <utility>

#include "runtime/model/quantise.h"

namespace outrider::model {
namespace {

/// [columns], each summed in double, row by row.
std::vector<float> mean_of_rows(const Weight& weight) {
  std::vector<double> sums(static_cast<std::size_t>(weight.columns));
  std::vector<float> row(sums.size());
  for (std::int64_t r = 0; r < weight.rows; ++r) {
    weight.read_row(r, row.data());
    for (std::size_t i = 0; i < row.size(); ++i) sums[i] += static_cast<double>(row[i]);
  }
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<float>(sums[i] / static_cast<double>(weight.rows));
  return row;
}

}  // namespace

Model with_whole_head(const Model& model) {
  Model whole = model;
  if (model.head_tokens.empty()) return whole;
  const bool as_floats = !can_quantise_to(model.head.type);
  if (as_floats) whole.head.type = WeightType::kF32;
  const auto row_bytes = static_cast<std::size_t>(whole.head.row_bytes());
  const auto rows = static_cast<std::size_t>(model.head.rows);
  std::vector<std::byte> bytes((rows + 1) * row_bytes);
  const auto put = [&](std::size_t row, const void* source) {
    std::memcpy(bytes.data() + row * row_bytes, source, row_bytes);
  };
  std::vector<float> floats(static_cast<std::size_t>(model.head.columns));
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = static_cast<std::int64_t>(r);
    if (as_floats) model.head.read_row(row, floats.data());
    put(r, as_floats ? static_cast<const void*>(floats.data()) : model.head.row(row));
  }
  const std::vector<float> mean = mean_of_rows(model.head);
  if (as_floats) {
    put(rows, mean.data());
  } else {
    quantise(whole.head.type, mean, bytes.data() + rows * row_bytes);
  }
  whole.head.bytes = whole.keep(std::move(bytes));
  whole.head.rows = model.config.vocab;
  whole.head.row_order.assign(static_cast<std::size_t>(model.config.vocab),
                              static_cast<std::int32_t>(rows));
  std::int32_t row = 0;
  for (const Token token : model.head_tokens)
    whole.head.row_order[static_cast<std::size_t>(token)] = row++;
  whole.head_tokens.clear();
  return whole;
}

const char* exported_architecture(const ModelConfig& config) {
  return config.embedding_scale == 1 ? "llama" : "granite";
}

std::vector<ExportedTensor> exported_tensors(const Model& model, const TensorNames& names) {
  std::vector<ExportedTensor> tensors;
  for (const ModelTensor& tensor : names.model) {
    const Weight& weight = model.*tensor.slot;
    if (weight.rows == 0 || (model.tied && tensor.slot == &Model::head)) continue;
    tensors.push_back({std::string(tensor.name), &weight, false});
  }
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer)
    for (const LayerTensor& tensor : names.layer)
      tensors.push_back({fmt::format("{}{}.{}", names.layer_prefix, layer, tensor.name),
                         &(model.layers[layer].*tensor.slot),
                         tensor.slot == &LayerWeights::q || tensor.slot == &LayerWeights::k});
  return tensors;
}

}  // namespace outrider::model
