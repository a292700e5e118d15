#include "runtime/engine/prepared_weights.h"

namespace outrider::engine {
namespace {

struct PanelJob {
  PackedMatrix* matrix;
  int panel;
  const model::Weight* weight;
};

class Packer {
 public:
  explicit Packer(bool quantised) : quantised_(quantised) {}

  void add(PackedMatrix& matrix, const model::Weight& weight) {
    const Packing packing = quantised_ ? int8_packing(weight.type) : Packing::kF32;
    matrix = PackedMatrix(packing, static_cast<int>(weight.rows), static_cast<int>(weight.columns));
    for (int panel = 0; panel < matrix.panels(); ++panel)
      jobs_.push_back({&matrix, panel, &weight});
  }

  void run(ThreadTeam& team) const {
    team.run([&](int thread) {
      const Share mine = share(static_cast<int>(jobs_.size()), thread, team.size());
      for (int i = mine.begin; i < mine.end; ++i) {
        const PanelJob& job = jobs_[static_cast<std::size_t>(i)];
        job.matrix->fill_panel(job.panel, *job.weight);
      }
    });
  }

 private:
  bool quantised_;
  std::vector<PanelJob> jobs_;
};

std::vector<float> vector_of(const model::Weight& weight) {
  std::vector<float> numbers(static_cast<std::size_t>(weight.columns));
  weight.read_row(0, numbers.data());
  return numbers;
}

}  // namespace

PreparedWeights::PreparedWeights(const model::Model& model, bool quantised, ThreadTeam& team)
    : layers(model.layers.size()), final_norm(vector_of(model.final_norm)) {
  Packer packer(quantised);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const model::LayerWeights& source = model.layers[l];
    PreparedLayer& layer = layers[l];
    layer.attn_norm = vector_of(source.attn_norm);
    layer.ffn_norm = vector_of(source.ffn_norm);
    packer.add(layer.q, source.q);
    packer.add(layer.k, source.k);
    packer.add(layer.v, source.v);
    packer.add(layer.o, source.o);
    packer.add(layer.gate, source.gate);
    packer.add(layer.up, source.up);
    packer.add(layer.down, source.down);
  }
  packer.add(head, model.head);
  packer.run(team);
}

}  // namespace outrider::engine
