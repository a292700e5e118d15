// What a pass hands out beside logits, and the attention that its rows can be asked for afterwards.

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "runtime/engine/cpu/forward_pass.h"

namespace outrider::engine {

void ForwardPass::prepare_taps(Pass& pass) {
  Taps& taps = *pass.taps;
  for (const Taps::Head& one : taps.heads)
    if (one.layer < 1 || one.layer > config_.layers || one.head < 0 || one.head >= config_.heads)
      throw std::logic_error("taps: the model has no such head");
  taps.states.resize(taps.layers.size());
  for (std::vector<float>& states : taps.states) states.resize(at(rows_, config_.width));
  taps.best_key.resize(taps.best_keys ? at(rows_, config_.layers * config_.heads) : 0);
  // These two are grown only: to shrink and grow again would write zeros each time. States and best
  // keys have the size of the pass, by which they are read.
  const int queries = rows_ * static_cast<int>(taps.heads.size());
  taps.queries.resize(std::max(taps.queries.size(), at(queries, config_.head_width)));
  taps.softmax.resize(std::max(taps.softmax.size(), at(queries, 1)));
  taps.positions.clear();
  for (int i = 0; i < rows_; ++i)
    taps.positions.push_back(places_[static_cast<std::size_t>(i)].position);
  taps.attention = [this, &pass](int row, std::span<const int> positions, std::vector<float>& out) {
    attend_at(pass, row, positions, out);
  };
}

void ForwardPass::copy_states(int thread, int layer) {
  if (pass_->taps == nullptr) return;
  Taps& taps = *pass_->taps;
  const Share mine = share(rows_, thread, team_.size());
  for (std::size_t t = 0; t < taps.layers.size(); ++t) {
    const bool final = taps.layers[t] == Taps::kFinalNorm && layer == config_.layers;
    if (taps.layers[t] != layer && !final) continue;
    for (int i = mine.begin; i < mine.end; ++i) {
      const float* row = residual_.data() + at(i, config_.width);
      float* out = taps.states[t].data() + at(i, config_.width);
      if (final) {
        normalise_numbers(row, weights_.final_norm, out);
      } else {
        std::copy_n(row, config_.width, out);
      }
    }
  }
}

void ForwardPass::copy_queries(int thread, int l) {
  if (pass_->taps == nullptr) return;
  Taps& taps = *pass_->taps;
  const int asked = static_cast<int>(taps.heads.size());
  const Share mine = share(rows_, thread, team_.size());
  for (int n = 0; n < asked; ++n) {
    const auto [layer, head] = taps.heads[static_cast<std::size_t>(n)];
    if (layer != l + 1) continue;
    for (int i = mine.begin; i < mine.end; ++i) {
      const int place = i * asked + n;
      std::copy_n(qkv_row(i) + at(head, config_.head_width), config_.head_width,
                  taps.queries.data() + at(place, config_.head_width));
      taps.softmax[static_cast<std::size_t>(place)] = softmax_[at(i, config_.heads) + at(head, 1)];
    }
  }
}

void ForwardPass::attend_at(const Pass& pass, int row, std::span<const int> positions,
                            std::vector<float>& out) const {
  const Taps& taps = *pass.taps;
  const Row& asked = pass.rows[static_cast<std::size_t>(row)];
  KvCache& cache = *pass.sequences[static_cast<std::size_t>(asked.sequence)];
  const int own = taps.positions[static_cast<std::size_t>(row)];
  if (own >= cache.length()) throw std::logic_error("attention: the row was not kept");
  if (!std::is_sorted(positions.begin(), positions.end()) ||
      (!positions.empty() && (positions.front() < 0 || positions.back() > own)))
    throw std::logic_error("attention: positions must ascend up to the row's own");
  out.resize(taps.heads.size() * positions.size());
  const auto weigh_share = [&](int thread) {
    const Share mine = share(static_cast<int>(taps.heads.size()), thread, team_.size());
    for (int n = mine.begin; n < mine.end; ++n) {
      const int place = row * static_cast<int>(taps.heads.size()) + n;
      const HeadOfRow head = {taps.heads[static_cast<std::size_t>(n)], own,
                              taps.queries.data() + at(place, config_.head_width),
                              taps.softmax[static_cast<std::size_t>(place)]};
      float* weights = out.data() + static_cast<std::size_t>(n) * positions.size();
      if (cache.type() == KvType::kF32) {
        weigh<float>(cache, head, positions, weights);
      } else {
        weigh<Half>(cache, head, positions, weights);
      }
    }
  };
  team_.run(std::ref(weigh_share));
}

template <typename Kv>
void ForwardPass::weigh(KvCache& cache, const HeadOfRow& row, std::span<const int> positions,
                        float* out) const {
  const auto [layer, head] = row.head;
  const auto seen =
      std::lower_bound(positions.begin(), positions.end(), before_window(layer - 1, row.position));
  const auto unseen = seen - positions.begin();
  std::fill_n(out, unseen, 0.0f);
  const int kv_head = head / (config_.heads / config_.kv_heads);
  const KeyWeights<Kv> args{
      .query = row.query,
      .head_width = config_.head_width,
      .keys = cache.keys<Kv>(layer - 1, kv_head),
      .slots = positions.data() + unseen,
      .count = static_cast<int>(positions.end() - seen),
      .position = row.position,
      .slope = slopes_.empty() ? 0.0f : slopes_[static_cast<std::size_t>(head)],
      .softmax = row.softmax,
      .out = out + unseen};
  if constexpr (std::is_same_v<Kv, float>) {
    kernels_.weigh_keys_f32(args);
  } else {
    kernels_.weigh_keys_f16(args);
  }
}

}  // namespace outrider::engine
