#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "runtime/artifacts/llama_format.h"
#include "runtime/artifacts/llama_group.h"
#include "runtime/artifacts/stored_weights.h"

namespace outrider::artifacts {
namespace {

using model::LayerTensor;
using model::Model;
using model::ModelConfig;
using model::Weight;
using model::WeightType;

bool is_plain_llama(const Model& draft) {
  const ModelConfig& config = draft.config;
  const auto is_plain = [](const model::LayerWeights& layer) {
    const Weight* const others[] = {&layer.attn_norm_bias, &layer.ffn_norm_bias, &layer.q_bias,
                                    &layer.k_bias,         &layer.v_bias,        &layer.o_bias,
                                    &layer.q_norm,         &layer.k_norm,        &layer.up_bias,
                                    &layer.down_bias};
    return std::all_of(std::begin(others), std::end(others),
                       [](const Weight* weight) { return weight->rows == 0; });
  };
  return config.norm == model::Norm::kRms && config.activation == model::Activation::kGatedSilu &&
         config.positions == model::Positions::kRotary && config.windows.empty() &&
         config.rotary_width == config.head_width && draft.embedding_norm.rows == 0 &&
         std::all_of(draft.layers.begin(), draft.layers.end(), is_plain);
}

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(fmt::format("write_llama: expected {}", what));
}

void append_numbers(const Weight& vector, std::vector<float>& out) {
  out.resize(out.size() + static_cast<std::size_t>(vector.columns));
  vector.read_row(0, out.data() + out.size() - vector.columns);
}

void write_tensor(const Model& draft, const LayerTensor& tensor, hdf5::Writer& file,
                  const std::string& path) {
  const std::uint64_t layers = draft.layers.size();
  const Weight& first = draft.layers.front().*tensor.slot;
  if (llama_format::is_norm(tensor)) {
    std::vector<float> numbers;
    for (const model::LayerWeights& layer : draft.layers)
      append_numbers(layer.*tensor.slot, numbers);
    file.add<float>(path, {layers, numbers.size() / layers}, numbers, hdf5::Packing::kPlain);
    return;
  }
  std::vector<std::uint8_t> bytes;
  for (const model::LayerWeights& layer : draft.layers) {
    check_type(layer.*tensor.slot, draft.layers.front().q.type);
    append_rows(layer.*tensor.slot, bytes);
  }
  const auto rows = static_cast<std::uint64_t>(first.rows);
  file.add<std::uint8_t>(path, {layers, rows, bytes.size() / layers / rows}, bytes,
                         hdf5::Packing::kPlain);
}

}  // namespace

void write_llama_shape(const ModelConfig& config, hdf5::Writer& file, const std::string& group) {
  const std::string prefix = group + "/shape/";
  const std::pair<const char*, int> counts[] = {
      {"layers", config.layers},         {"width", config.width},
      {"heads", config.heads},           {"kv_heads", config.kv_heads},
      {"head_width", config.head_width}, {"ffn_width", config.ffn_width},
      {"context", config.context}};
  for (const auto& [name, count] : counts) file.add_number<std::int32_t>(prefix + name, count);
  file.add_number<float>(prefix + "norm_epsilon", config.norm_epsilon);
  file.add_number<float>(prefix + "rope_base", config.rope_base);
  file.add_number<float>(prefix + "rope_scale", config.rope_scale);
  if (!config.rope_divisors.empty())
    file.add<float>(prefix + "rope_divisors", {config.rope_divisors.size()}, config.rope_divisors,
                    hdf5::Packing::kPlain);
}

void write_llama_weights(const Model& model, hdf5::Writer& file, const std::string& group) {
  const std::size_t layers = model.layers.size();
  require(is_plain_llama(model), "a Llama without biases, windows or partial rotation");
  require(layers >= 1 && layers <= kMostLayers, "1 to 64 layers");
  const WeightType type = model.layers.front().q.type;
  file.add_text(group + "/layers/type", model::type_name(type));
  for (const LayerTensor& tensor : llama_format::layer_tensors())
    write_tensor(model, tensor, file, llama_format::path_of(group, tensor));
  if (model.config.state_inputs > 0) {
    check_type(model.state_projection, type);
    write_matrix(model.state_projection, file, group + "/fc");
  }
  if (model.final_norm.rows > 0) {
    std::vector<float> final_norm;
    append_numbers(model.final_norm, final_norm);
    file.add<float>(group + "/final_norm", {1, final_norm.size()}, final_norm,
                    hdf5::Packing::kPlain);
  }
}

}  // namespace outrider::artifacts
