#include "runtime/engine/cuda/cuda_weights.h"

#include <cstddef>
#include <utility>

#include "runtime/engine/cpu/prepared_weights.h"
#include "runtime/engine/model_too_large.h"

namespace outrider::engine::cuda {
namespace {

/// Collects the vectors of a model, so that they are copied at once.
class Vectors {
 public:
  /// Their place among all; `kNone` for an empty one.
  std::size_t add(const std::vector<float>& numbers) {
    if (numbers.empty()) return kNone;
    const std::size_t at = all_.size();
    all_.insert(all_.end(), numbers.begin(), numbers.end());
    all_.resize((all_.size() + 3) / 4 * 4);
    return at;
  }
  const std::vector<float>& all() const { return all_; }
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

 private:
  std::vector<float> all_;
};

}  // namespace

CudaWeights::CudaWeights(Device& device, const model::Model& model, const NumericsPlan& plan,
                         ThreadTeam& team,
                         const std::function<void(std::int64_t, std::int64_t)>& on_packed,
                         std::int64_t beside)
    : layers(model.layers.size()) {
  const cpu::PreparedWeights prepared(model, plan, team, on_packed);
  bytes = static_cast<std::int64_t>(prepared.storage.size());
  if (const std::int64_t free = device.memory().free_bytes; bytes + beside > free)
    throw ModelTooLarge(model.path.string(), {bytes, beside}, device.name(), free);
  matrices_ = DeviceBuffer<std::uint8_t>(device, prepared.storage.size());
  device.copy_to(matrices_.data(), prepared.storage.data(), prepared.storage.size());

  Vectors vectors;
  // Pointers are set once all vectors have been counted.
  std::vector<std::pair<const float**, std::size_t>> places;
  const auto place = [&](const float*& pointer, const std::vector<float>& numbers) {
    const std::size_t at = vectors.add(numbers);
    if (at != Vectors::kNone) places.emplace_back(&pointer, at);
  };
  const auto add_norm = [&](CudaNorm& norm, const cpu::PreparedNorm& from) {
    place(norm.weight, from.weight);
    if (model.config.norm == model::Norm::kLayer) place(norm.bias, from.bias);
  };
  const auto add = [&](CudaProjection& projection, const cpu::Projection& from) {
    if (from.matrix.panels() == 0) return;
    projection.packing = from.matrix.packing();
    projection.panels = matrices_.data() + (from.matrix.data() - prepared.storage.data());
    projection.inputs = from.matrix.inputs();
    projection.num_panels = from.matrix.panels();
    (projection.is_float() ? takes_floats : takes_quants) = true;
    std::vector<float> bias = from.bias;
    if (!bias.empty()) bias.resize(static_cast<std::size_t>(projection.num_panels) * 16);
    place(projection.bias, bias);
  };
  add(state_projection, prepared.state_projection);
  add_norm(embedding_norm, prepared.embedding_norm);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const cpu::PreparedLayer& from = prepared.layers[l];
    CudaLayer& layer = layers[l];
    add_norm(layer.attn_norm, from.attn_norm);
    add(layer.q, from.q);
    add(layer.k, from.k);
    add(layer.v, from.v);
    add(layer.o, from.o);
    place(layer.q_norm, from.q_norm);
    place(layer.k_norm, from.k_norm);
    add_norm(layer.ffn_norm, from.ffn_norm);
    add(layer.gate, from.gate);
    add(layer.up, from.up);
    add(layer.down, from.down);
  }
  add_norm(final_norm, prepared.final_norm);
  add(head, prepared.head);
  vectors_ = DeviceBuffer<float>(device, vectors.all().size());
  vectors_.copy_to(vectors.all());
  for (const auto& [pointer, at] : places) *pointer = vectors_.data() + at;
  device.synchronise();
}

}  // namespace outrider::engine::cuda
