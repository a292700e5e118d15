#include "runtime/engine/cpu/prepared_weights.h"

#include <algorithm>
#include <utility>

namespace outrider::engine::cpu {
namespace {

constexpr std::size_t kPackedAtOnce = 16 << 20;  // bytes

std::size_t whole_cache_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// The numbers of a row or column vector; empty where the model has none.
std::vector<float> vector_of(const model::Weight& weight) {
  const std::int64_t rows = weight.rows, columns = weight.columns;
  std::vector<float> numbers(static_cast<std::size_t>(rows * columns));
  for (std::int64_t r = 0; r < rows; ++r) weight.read_row(r, numbers.data() + r * columns);
  return numbers;
}

PreparedNorm norm_of(const model::Weight& weight, const model::Weight& bias) {
  return {vector_of(weight), vector_of(bias)};
}

class Packer {
 public:
  explicit Packer(const NumericsPlan& plan) : plan_(plan) {}

  void add(Projection& projection, const model::Weight& weight, const model::Weight& bias) {
    add(projection, weight, bias, packing_of(plan_, weight.type));
  }

  /// A router stays as it is: what it chooses is not a matter of degree.
  void add_router(Projection& projection, const model::Weight& weight, const model::Weight& bias) {
    NumericsPlan plan = plan_;
    plan.quantise = false;
    add(projection, weight, bias, packing_of(plan, weight.type));
  }

  void add(Projection& projection, const model::Weight& weight, const model::Weight& bias,
           Packing packing) {
    projection.bias = vector_of(bias);
    projection.bias.resize((projection.bias.size() + 15) / 16 * 16);
    if (weight.rows == 0) return;
    PackedMatrix& matrix = projection.matrix;
    matrix = PackedMatrix(packing, static_cast<int>(weight.rows), static_cast<int>(weight.columns));
    matrices_.push_back({&matrix, &weight});
    bytes_ += whole_cache_lines(matrix.bytes());
  }

  /// Packs everything on all threads of the team and returns the storage.
  AlignedBuffer<std::uint8_t> run(
      const model::Model& model, ThreadTeam& team,
      const std::function<void(std::int64_t, std::int64_t)>& on_packed) const {
    AlignedBuffer<std::uint8_t> storage(bytes_, Pages::kHuge);
    std::uint8_t* next = storage.data();
    for (const auto& [matrix, weight] : matrices_) {
      matrix->place(next);
      next += whole_cache_lines(matrix->bytes());
    }
    std::size_t packed = 0;
    team.run([&](int thread) {
      for (const auto& [matrix, weight] : matrices_) {
        const int panels = matrix->panels();
        const int at_once = static_cast<int>(
            kPackedAtOnce / (matrix->bytes() / static_cast<std::size_t>(panels)) + 1);
        for (int first = 0; first < panels; first += at_once) {
          const Share mine = share(std::min(at_once, panels - first), thread, team.size());
          for (int panel = first + mine.begin; panel < first + mine.end; ++panel)
            matrix->fill_panel(panel, *weight);
          // Packed weights are not read from the file again: releasing their pages keeps peak
          // memory low.
          team.barrier();
          if (thread == 0) model.release_pages();
        }
        if (thread != 0) continue;
        packed += whole_cache_lines(matrix->bytes());
        if (on_packed)
          on_packed(static_cast<std::int64_t>(packed), static_cast<std::int64_t>(bytes_));
      }
    });
    return storage;
  }

 private:
  const NumericsPlan& plan_;
  std::vector<std::pair<PackedMatrix*, const model::Weight*>> matrices_;
  std::size_t bytes_ = 0;
};

}  // namespace

PreparedWeights::PreparedWeights(const model::Model& model, const NumericsPlan& plan,
                                 ThreadTeam& team,
                                 const std::function<void(std::int64_t, std::int64_t)>& on_packed)
    : layers(model.layers.size()),
      embedding_norm(norm_of(model.embedding_norm, model.embedding_norm_bias)),
      final_norm(norm_of(model.final_norm, model.final_norm_bias)) {
  Packer packer(plan);
  packer.add(state_projection, model.state_projection, {});
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const model::LayerWeights& source = model.layers[l];
    PreparedLayer& layer = layers[l];
    layer.attn_norm = norm_of(source.attn_norm, source.attn_norm_bias);
    layer.ffn_norm = norm_of(source.ffn_norm, source.ffn_norm_bias);
    layer.post_attn_norm = norm_of(source.post_attn_norm, {});
    layer.post_ffn_norm = norm_of(source.post_ffn_norm, {});
    layer.q_norm = vector_of(source.q_norm);
    layer.k_norm = vector_of(source.k_norm);
    layer.sinks = vector_of(source.sinks);
    packer.add(layer.q, source.q, source.q_bias);
    packer.add(layer.k, source.k, source.k_bias);
    packer.add(layer.v, source.v, source.v_bias);
    packer.add(layer.o, source.o, source.o_bias);
    packer.add(layer.gate, source.gate, {});
    packer.add(layer.up, source.up, source.up_bias);
    packer.add(layer.down, source.down, source.down_bias);
    packer.add_router(layer.router, source.router, source.router_bias);
    layer.experts.resize(source.experts.size());
    for (std::size_t e = 0; e < layer.experts.size(); ++e) {
      const model::ExpertWeights& expert = source.experts[e];
      packer.add(layer.experts[e].gate, expert.gate, expert.gate_bias);
      packer.add(layer.experts[e].up, expert.up, expert.up_bias);
      packer.add(layer.experts[e].down, expert.down, expert.down_bias);
    }
  }
  packer.add(head, model.head, {});
  storage = packer.run(model, team, on_packed);
}

}  // namespace outrider::engine::cpu
