#include <fmt/core.h>

#include <algorithm>

#include "runtime/artifacts/llama_format.h"
#include "runtime/artifacts/llama_group.h"
#include "runtime/artifacts/stored_weights.h"

namespace outrider::artifacts {
namespace {

using llama_format::is_norm;
using llama_format::path_of;
using model::LayerTensor;
using model::Model;
using model::ModelConfig;
using model::Weight;
using model::WeightType;

class LlamaLoader {
 public:
  LlamaLoader(const ArtifactFile& file, const Model& target, const std::string& group,
              const LlamaParts& parts)
      : file_(file.reader()), target_(target), group_(group), parts_(parts) {}

  /// What the model is before its weights are read.
  ModelConfig shape() {
    check_target();
    read_shape();
    return model_.config;
  }

  Model load() {
    shape();
    model_.path = file_.name();
    model_.tokenizer = target_.tokenizer;
    model_.embedding = target_.embedding;
    model_.files = target_.files;
    model_.buffers = target_.buffers;
    const StoredWeights stored(file_, model_);
    const WeightType type = read_weight_type(file_, path("/layers/type"));
    model_.layers.resize(static_cast<std::size_t>(model_.config.layers));
    for (const LayerTensor& tensor : llama_format::layer_tensors())
      read_tensor(stored, tensor, type);
    if (parts_.state_inputs > 0)
      model_.state_projection =
          stored.matrix(path("/fc"), type, model_.config.width, parts_.state_inputs);
    stored.read_head(group_, target_);
    if (parts_.needs_final_norm || file_.has(path("/final_norm")))
      model_.final_norm = stored.norms(path("/final_norm"), 1, model_.config.width).front();
    return std::move(model_);
  }

 private:
  std::string path(const std::string& name) const { return group_ + name; }

  void check_target() const {
    const int width = whole("/shape/width", 1, static_cast<int>(model::limits::kWidth));
    if (width == target_.config.width) return;
    file_.refuse(path("/shape/width"),
                 fmt::format("expected the target's, {}, found {}", target_.config.width, width));
  }

  int whole(const std::string& name, int low, int high) const {
    const int value = file_.read_number<std::int32_t>(path(name));
    if (value < low || value > high)
      file_.refuse(path(name), fmt::format("expected {} to {}, found {}", low, high, value));
    return value;
  }

  float number(const std::string& name, float low, float high) const {
    const float value = file_.read_number<float>(path(name));
    check_number(name, value, low, high);
    return value;
  }
  void check_number(const std::string& name, float value, float low, float high) const {
    if (!(value >= low && value <= high))
      file_.refuse(path(name), fmt::format("expected {} to {}, found {}", low, high, value));
  }

  void read_shape() {
    const auto most = [](std::int64_t limit) { return static_cast<int>(limit); };
    ModelConfig& config = model_.config;
    config.architecture = "llama";
    config.width = target_.config.width;
    config.vocab = target_.config.vocab;
    config.layers = whole("/shape/layers", 1, parts_.most_layers);
    config.state_inputs = parts_.state_inputs;
    config.embedding_scale = target_.config.embedding_scale;
    config.heads = whole("/shape/heads", 1, most(model::limits::kHeads));
    config.kv_heads = whole("/shape/kv_heads", 1, config.heads);
    if (config.heads % config.kv_heads != 0)
      file_.refuse(path("/shape/kv_heads"), fmt::format("expected a divisor of {}, found {}",
                                                        config.heads, config.kv_heads));
    config.head_width = whole("/shape/head_width", 2, most(model::limits::kHeadWidth));
    if (config.head_width % 2 != 0)
      file_.refuse(path("/shape/head_width"), "expected an even number");
    config.rotary_width = config.head_width;
    config.ffn_width = whole("/shape/ffn_width", 1, most(model::limits::kWidth));
    config.context = whole("/shape/context", 1, most(model::limits::kContext));
    config.norm_epsilon = number("/shape/norm_epsilon", 0, 1);
    config.rope_base = number("/shape/rope_base", 1, 1e12f);
    config.rope_scale = number("/shape/rope_scale", 1e-3f, 1e3f);
    const std::string divisors = "/shape/rope_divisors";
    if (!file_.has(path(divisors))) return;
    config.rope_divisors =
        file_.read<float>(path(divisors), {static_cast<std::uint64_t>(config.rotary_width / 2)});
    for (const float divisor : config.rope_divisors) check_number(divisors, divisor, 1e-3f, 1e6f);
  }

  void read_tensor(const StoredWeights& stored, const LayerTensor& tensor, WeightType type) {
    const std::size_t layers = model_.layers.size();
    const std::string name = path_of(group_, tensor);
    std::vector<Weight> weights =
        is_norm(tensor)
            ? stored.norms(name, layers, model_.config.width)
            : stored.matrices(name, type, layers, model::extent_of(tensor.rows, model_.config),
                              model::extent_of(tensor.columns, model_.config));
    for (std::size_t layer = 0; layer < layers; ++layer)
      model_.layers[layer].*tensor.slot = std::move(weights[layer]);
  }

  const hdf5::Reader& file_;
  const Model& target_;
  const std::string group_;
  const LlamaParts parts_;
  Model model_;
};

}  // namespace

ModelConfig read_llama_shape(const ArtifactFile& file, const Model& target,
                             const std::string& group, const LlamaParts& parts) {
  return LlamaLoader(file, target, group, parts).shape();
}

Model read_llama(const ArtifactFile& file, const Model& target, const std::string& group,
                 const LlamaParts& parts) {
  return LlamaLoader(file, target, group, parts).load();
}

}  // namespace outrider::artifacts
