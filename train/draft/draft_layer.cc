#include "train/draft/draft_layer.h"

#include <ATen/ATen.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstring>
#include <utility>

#include "runtime/base/error.h"
#include "train/modules/size.h"
#include "train/reference/load_weight.h"

namespace outrider::train {

namespace {

/// What Llama's own models have.
constexpr float kRopeBase = 10000;

/// The numbers of the units of a layer's feed-forward network, the strongest first (`keep_units`).
at::Tensor strongest_units(const DraftLayer& layer, std::int64_t units) {
  const auto halves = layer.gate_up.chunk(2);
  const auto lengths = [](const at::Tensor& matrix, int dim) {
    return matrix.to(at::kCPU, at::kDouble).square().sum(dim).sqrt();
  };
  const at::Tensor most = lengths(halves[0], 1) * lengths(halves[1], 1) * lengths(layer.down, 0);
  return std::get<1>(most.topk(units)).to(layer.down.device());
}

}  // namespace

model::ModelConfig draft_config(const model::Model& target, std::span<const int> layers) {
  model::ModelConfig config = target.config;
  if (layers.empty()) throw InputError("a draft model needs at least one layer");
  for (const int layer : layers)
    if (layer < 1 || layer > config.layers)
      throw InputError(fmt::format("{} has no layer {}; expected 1 to {}", target.path.string(),
                                   layer, config.layers));
  config.architecture = "llama";
  config.layers = static_cast<int>(layers.size());
  // Nothing else of the target's kind, but the scale of its embeddings, which the draft shares.
  if (config.positions != model::Positions::kRotary) {
    config.rope_base = kRopeBase;
    config.rotary_width = config.head_width / 2 * 2;
  }
  config.positions = model::Positions::kRotary;
  config.first_position = 0;
  config.norm = model::Norm::kRms;
  config.activation = model::Activation::kGatedSilu;
  config.gate_sharpness = config.gate_limit = 0;
  if (config.experts > 0) config.ffn_width *= config.used_experts;
  config.experts = config.used_experts = 0;
  config.windows.clear();
  config.long_rope_divisors.clear();
  config.long_context = 0;
  config.rotates.clear();
  config.window_rope_base = 0;
  config.residual_scale = config.logit_divisor = 1;
  config.attention_scale = config.attention_cap = config.logit_cap = 0;
  return config;
}

DraftLayer load_layer(const model::LayerWeights& weights, int experts,
                      const at::TensorOptions& tensors) {
  std::vector<at::Tensor> gates, ups, downs;
  const auto add = [&](const auto& network, int networks) {
    ups.push_back(load_matrix(network.up, tensors));
    gates.push_back(network.gate.rows == 0 ? ups.back() : load_matrix(network.gate, tensors));
    downs.push_back(load_matrix(network.down, tensors) / networks);
  };
  if (weights.experts.empty()) add(weights, 1);
  for (std::size_t i = 0; i < weights.experts.size() && std::cmp_less(i, experts); ++i)
    add(weights.experts[i], experts);
  return {.attn_norm = load_vector(weights.attn_norm, tensors),
          .q = load_matrix(weights.q, tensors),
          .kv = at::cat({load_matrix(weights.k, tensors), load_matrix(weights.v, tensors)}),
          .o = load_matrix(weights.o, tensors),
          .ffn_norm = load_vector(weights.ffn_norm, tensors),
          .gate_up = at::cat({at::cat(gates), at::cat(ups)}),
          .down = at::cat(downs, 1)};
}

void keep_units(int units, model::ModelConfig& config, DraftLayer& layer) {
  const std::int64_t all = layer.down.size(1);
  if (units == 0) return;
  if (units < 0 || units > all)
    throw InputError(
        fmt::format("--feed-forward: expected 1 to {}, the target's units, found {}", all, units));
  const auto halves = layer.gate_up.chunk(2);
  const at::Tensor kept = std::get<0>(strongest_units(layer, units).sort());
  layer.gate_up = at::cat({halves[0].index_select(0, kept), halves[1].index_select(0, kept)});
  layer.down = layer.down.index_select(1, kept).contiguous();
  config.ffn_width = units;
}

DraftLayer widened(const DraftLayer& layer, const DraftLayer& wide) {
  const std::int64_t units = layer.down.size(1), all = wide.down.size(1);
  if (units >= all) return layer;
  const at::Tensor others = strongest_units(wide, all).slice(0, units);
  const auto rows_of = [&](int half) {
    const at::Tensor first = layer.gate_up.chunk(2)[half];
    const at::Tensor rest = wide.gate_up.chunk(2)[half].index_select(0, others);
    return at::cat({first, rest * (root_mean_square(first) / root_mean_square(rest))});
  };
  DraftLayer result = layer;
  result.gate_up = at::cat({rows_of(0), rows_of(1)});
  result.down =
      at::cat({layer.down, at::zeros({layer.down.size(0), all - units}, layer.down.options())}, 1);
  return result;
}

void take_values(const at::Tensor& parameter, const at::Tensor& served,
                 const std::filesystem::path& path, const char* what) {
  if (parameter.sizes() != served.sizes())
    throw InputError(fmt::format("{}: {} has the shape {}, expected {}", path.string(), what,
                                 served.sizes().vec(), parameter.sizes().vec()));
  parameter.copy_(served);
}

void take_layer(const DraftLayer& layer, const DraftLayer& served,
                const std::filesystem::path& path) {
  take_values(layer.attn_norm, served.attn_norm, path, "attn_norm");
  take_values(layer.q, served.q, path, "q");
  take_values(layer.kv, served.kv, path, "kv");
  take_values(layer.o, served.o, path, "o");
  take_values(layer.ffn_norm, served.ffn_norm, path, "ffn_norm");
  take_values(layer.gate_up, served.gate_up, path, "gate_up");
  take_values(layer.down, served.down, path, "down");
}

void add_parameters(const DraftLayer& layer, const std::string& prefix,
                    std::vector<Parameter>& all) {
  const auto add = [&](const char* name, const at::Tensor& value) {
    all.push_back({prefix + name, value, value.dim() > 1});
  };
  add("attn_norm", layer.attn_norm);
  add("q", layer.q);
  add("kv", layer.kv);
  add("o", layer.o);
  add("ffn_norm", layer.ffn_norm);
  add("gate_up", layer.gate_up);
  add("down", layer.down);
}

at::Tensor load_head(const model::Model& target, const std::vector<Token>& tokens,
                     const at::TensorOptions& tensors) {
  const model::Weight& head = target.tied ? target.embedding : target.head;
  at::Tensor rows = at::empty({std::ssize(tokens), head.columns}, at::kFloat);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    head.read_row(tokens[i],
                  rows.mutable_data_ptr<float>() + static_cast<std::int64_t>(i) * head.columns);
  return rows.to(tensors);
}

model::Weight kept_weight(const char* name, const at::Tensor& tensor, model::Model& model) {
  const at::Tensor floats = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
  std::vector<std::byte> bytes(floats.nbytes());
  std::memcpy(bytes.data(), floats.const_data_ptr(), bytes.size());
  model::Weight weight;
  weight.name = name;
  weight.type = model::WeightType::kF32;
  weight.rows = floats.dim() == 1 ? 1 : floats.size(0);
  weight.columns = floats.size(-1);
  weight.bytes = model.keep(std::move(bytes));
  return weight;
}

model::LayerWeights kept_layer(const DraftLayer& layer, model::Model& model) {
  const auto kv = layer.kv.chunk(2);
  const auto gate_up = layer.gate_up.chunk(2);
  model::LayerWeights weights;
  weights.attn_norm = kept_weight("attn_norm", layer.attn_norm, model);
  weights.q = kept_weight("q", layer.q, model);
  weights.k = kept_weight("k", kv[0], model);
  weights.v = kept_weight("v", kv[1], model);
  weights.o = kept_weight("o", layer.o, model);
  weights.ffn_norm = kept_weight("ffn_norm", layer.ffn_norm, model);
  weights.gate = kept_weight("gate", gate_up[0], model);
  weights.up = kept_weight("up", gate_up[1], model);
  weights.down = kept_weight("down", layer.down, model);
  return weights;
}

}  // namespace outrider::train
