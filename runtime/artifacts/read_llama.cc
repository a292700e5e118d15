#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "runtime/artifacts/llama_format.h"
#include "runtime/artifacts/llama_group.h"
#include "runtime/model/finite_weights.h"

namespace outrider::artifacts {
namespace {

using hdf5::Dims;
using llama_format::is_norm;
using llama_format::path_of;
using model::LayerTensor;
using model::Model;
using model::ModelConfig;
using model::Weight;
using model::WeightType;

constexpr std::size_t kMostTypeName = 16;

std::uint64_t unsigned_of(std::int64_t count) { return static_cast<std::uint64_t>(count); }

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
    const WeightType type = read_type("/layers/type");
    model_.layers.resize(static_cast<std::size_t>(model_.config.layers));
    for (const LayerTensor& tensor : llama_format::layer_tensors()) read_tensor(tensor, type);
    read_projection(type);
    read_head();
    if (parts_.needs_final_norm || file_.has(path("/final_norm")))
      read_norm(path("/final_norm"), 1, [this](std::size_t) { return &model_.final_norm; });
    return std::move(model_);
  }

 private:
  /// Where the weights that a dataset holds belong, by their number.
  using SlotOf = std::function<Weight*(std::size_t)>;

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

  WeightType read_type(const std::string& name) const {
    const std::string found = file_.read_text(path(name), kMostTypeName);
    for (const WeightType type : llama_format::kTypes)
      if (found == model::type_name(type)) return type;
    file_.refuse(path(name), fmt::format("expected F32, Q8_0 or Q4_1, found {}", found));
  }

  Weight weight_of(std::string name, WeightType type, std::int64_t rows,
                   std::int64_t columns) const {
    Weight weight{.name = std::move(name),
                  .type = type,
                  .rows = rows,
                  .columns = columns,
                  .bytes = {},
                  .row_order = {}};
    if (columns % model::block_shape(type).numbers != 0)
      file_.refuse(weight.name,
                   fmt::format("expected rows of a multiple of {} for {}, found {}",
                               model::block_shape(type).numbers, model::type_name(type), columns));
    return weight;
  }

  /// Gives `count` weights of the shape of `weight` the bytes of one dataset.
  template <typename T>
  void take(const Weight& weight, std::vector<T> values, std::size_t count, const SlotOf& slot) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    const auto kept = model_.keep(std::move(bytes));
    const std::size_t size = kept.size() / count;
    for (std::size_t i = 0; i < count; ++i) {
      Weight& part = *slot(i) = weight;
      part.bytes = kept.subspan(i * size, size);
      const auto row = model::first_row_not_finite(part);
      if (row)
        file_.refuse(weight.name,
                     fmt::format("holds a number that is NaN or infinite, in row {}", *row));
    }
  }

  void read_norm(const std::string& name, std::size_t count, const SlotOf& slot) {
    const Weight weight = weight_of(name, WeightType::kF32, 1, model_.config.width);
    take(weight, file_.read<float>(name, {count, unsigned_of(weight.columns)}), count, slot);
  }

  void read_tensor(const LayerTensor& tensor, WeightType type) {
    const auto slot = [&](std::size_t layer) { return &(model_.layers[layer].*tensor.slot); };
    const std::size_t layers = model_.layers.size();
    if (is_norm(tensor)) return read_norm(path_of(group_, tensor), layers, slot);
    const Weight weight =
        weight_of(path_of(group_, tensor), type, model::extent_of(tensor.rows, model_.config),
                  model::extent_of(tensor.columns, model_.config));
    const Dims dims = {layers, unsigned_of(weight.rows), unsigned_of(weight.row_bytes())};
    take(weight, file_.read<std::uint8_t>(weight.name, dims), layers, slot);
  }

  void read_projection(WeightType type) {
    if (parts_.state_inputs == 0) return;
    const Weight weight = weight_of(path("/fc"), type, model_.config.width, parts_.state_inputs);
    const Dims dims = {unsigned_of(weight.rows), unsigned_of(weight.row_bytes())};
    take(weight, file_.read<std::uint8_t>(weight.name, dims), 1,
         [this](std::size_t) { return &model_.state_projection; });
  }

  void read_head() {
    const int vocab = model_.config.vocab;
    auto tokens = file_.read<std::int32_t>(path("/head_tokens"), {hdf5::Reader::kAny});
    const bool ascend =
        std::adjacent_find(tokens.begin(), tokens.end(), std::greater_equal<>()) == tokens.end();
    if (tokens.empty() || !ascend || tokens.front() < 0 || tokens.back() >= vocab)
      file_.refuse(path("/head_tokens"),
                   fmt::format("expected tokens of the target's {}, ascending", vocab));
    const Weight weight =
        weight_of(path("/head"), read_type("/head_type"), std::ssize(tokens), model_.config.width);
    const Dims dims = {tokens.size(), unsigned_of(weight.row_bytes())};
    take(weight, file_.read<std::uint8_t>(weight.name, dims), 1,
         [this](std::size_t) { return &model_.head; });
    if (std::ssize(tokens) < vocab) model_.head_tokens = std::move(tokens);
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
