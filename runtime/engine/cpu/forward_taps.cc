// The outputs of a pass other than logits, and the attention that observers request of its rows
// afterwards.

#include <algorithm>
#include <functional>

#include "runtime/engine/cpu/forward_pass.h"

namespace outrider::engine::cpu {

void ForwardPass::prepare_taps(Pass& pass) {
  pass.observed.begin(pass.request, config_, rows_,
                      [this](const Observation& observed, int row, std::span<const Head> heads,
                             std::span<const int> positions,
                             float* out) { attend_at(observed, row, heads, positions, out); });
  for (int i = 0; i < rows_; ++i)
    pass.observed.set_row(i, layout_[static_cast<std::size_t>(i)].position,
                          layout_[static_cast<std::size_t>(i)].number, &cache_of(i));
}

void ForwardPass::copy_states(int thread, int layer) {
  if (pass_->request.layers.empty()) return;
  Observation& observed = pass_->observed;
  const Share mine = share(rows_, thread, team_.size());
  for (int i = mine.begin; i < mine.end; ++i) {
    const float* row = residual_.data() + at(i, config_.width);
    if (float* out = observed.state_out(layer, i)) std::copy_n(row, config_.width, out);
    if (layer != config_.layers) continue;
    if (float* out = observed.state_out(kFinalNorm, i))
      normalise_numbers(row, weights_.final_norm, out);
  }
}

void ForwardPass::copy_queries(int thread, int l) {
  if (pass_->request.heads.empty()) return;
  Observation& observed = pass_->observed;
  const Share mine = share(rows_, thread, team_.size());
  for (int n = 0; n < config_.heads; ++n) {
    const Head head = {l + 1, n};
    if (!observed.has_attention(head)) continue;
    for (int i = mine.begin; i < mine.end; ++i) {
      std::copy_n(qkv_row(i) + at(n, config_.head_width), config_.head_width,
                  observed.query_out(i, head));
      *observed.softmax_out(i, head) = softmax_[at(i, config_.heads) + at(n, 1)];
    }
  }
}

void ForwardPass::attend_at(const Observation& observed, int row, std::span<const Head> heads,
                            std::span<const int> positions, float* out) const {
  const auto& cache = dynamic_cast<const CpuKvCache&>(observed.cache_of_committed(row));
  const int own = observed.position(row);
  const auto weigh_share = [&](int thread) {
    const Share mine = share(static_cast<int>(heads.size()), thread, team_.size());
    for (int n = mine.begin; n < mine.end; ++n) {
      const Head head = heads[static_cast<std::size_t>(n)];
      const HeadOfRow of_row = {head, own, observed.query(row, head).data(),
                                observed.softmax(row, head)};
      float* weights = out + static_cast<std::size_t>(n) * positions.size();
      visit_kv(kv_, [&](auto kv) { weigh<decltype(kv)>(cache, of_row, positions, weights); });
    }
  };
  team_.run(std::ref(weigh_share));
}

template <typename Kv>
void ForwardPass::weigh(const CpuKvCache& cache, const HeadOfRow& row,
                        std::span<const int> positions, float* out) const {
  const auto [layer, head] = row.head;
  const auto seen =
      std::lower_bound(positions.begin(), positions.end(), before_window(layer - 1, row.position));
  const auto unseen = seen - positions.begin();
  std::fill_n(out, unseen, 0.0f);
  const int kv_head = head / (config_.heads / config_.kv_heads);
  kernels_.weigh_keys(
      KeyWeights<Kv>{.query = row.query,
                     .head_width = config_.head_width,
                     .keys = cache.keys<Kv>(layer - 1, kv_head),
                     .slots = positions.data() + unseen,
                     .count = static_cast<int>(positions.end() - seen),
                     .position = row.position,
                     .slope = slopes_.empty() ? 0.0f : slopes_[static_cast<std::size_t>(head)],
                     .cap = config_.attention_cap,
                     .softmax = row.softmax,
                     .out = out + unseen});
}

}  // namespace outrider::engine::cpu
