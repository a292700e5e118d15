// The step of a pass in which rows attend to the keys and values of their paths.

#include <algorithm>
#include <array>

#include "runtime/engine/cpu/forward_pass.h"

namespace outrider::engine::cpu {

bool ForwardPass::has_window(int l) const {
  return !config_.windows.empty() && config_.windows[static_cast<std::size_t>(l)] > 0;
}

const float* ForwardPass::angles_of(int l, int row) const {
  const float* const angles = angles_.data() + at(row, 2 * config_.head_width);
  return window_rope_ && has_window(l) ? angles + config_.head_width : angles;
}

int ForwardPass::before_window(int l, int position) const {
  return has_window(l) ? std::max(0, position + 1 - config_.windows[static_cast<std::size_t>(l)])
                       : 0;
}

void ForwardPass::attend(int thread, int l) {
  const int first = l + 1 == config_.layers ? first_output_row_ : 0;
  const std::span<const AttentionTile> tiles = (first > 0 ? last_tiles_ : tiles_).of(thread);
  visit_kv(kv_, [&](auto kv) {
    using Kv = decltype(kv);
    for (std::size_t i = 0; i < tiles.size(); ++i)
      attend_tile<Kv>(thread, l, tiles[i], keys_after<Kv>(tiles, i, l));
  });
  if (heads_share_blocks_) quantise_attended(thread, first);
}

void ForwardPass::quantise_attended(int thread, int first) {
  team_.barrier();
  const Share blocks = share(config_.heads * config_.head_width / 32, thread, team_.size());
  for (int i = first; i < rows_; ++i)
    attended_.finish(kernels_, i, blocks.begin * 32, (blocks.end - blocks.begin) * 32);
}

/// The keys that a thread reads after tile i of its `tiles`: those of the next, or of the first in
/// the next layer, unless that is the last one and leaves out rows.
template <typename Kv>
const Kv* ForwardPass::keys_after(std::span<const AttentionTile> tiles, std::size_t i,
                                  int l) const {
  const bool last = i + 1 == tiles.size();
  const AttentionTile& next = last ? tiles[0] : tiles[i + 1];
  return cache_of(next.first_row)
      .keys<Kv>(last ? std::min(l + 1, config_.layers - 1) : l, next.kv_head);
}

KeyPath ForwardPass::path_of(int l, int row) const {
  const RowLayout& layout = layout_[static_cast<std::size_t>(row)];
  // The number of positions before this row's window, and how many of these are outside the
  // contiguous slots.
  const int unseen = before_window(l, layout.position);
  const int unseen_extra = std::max(0, unseen - layout.contiguous);
  return {.first = unseen - unseen_extra,
          .contiguous = layout.contiguous,
          .extra = layout_.extra(layout) + unseen_extra,
          .num_extra = layout.num_extra - unseen_extra,
          .left_out = unseen_extra};
}

template <typename Kv>
void ForwardPass::attend_tile(int thread, int l, const AttentionTile& tile, const Kv* next_keys) {
  const int group = config_.heads / config_.kv_heads;
  const int width = config_.head_width;
  const std::vector<float>& sinks = weights_.layers[static_cast<std::size_t>(l)].sinks;
  Observation& observed = pass_->observed;
  const auto row_of = [&](int i) { return tile.first_row + (tile.skipped + i) / group; };
  const auto head_of = [&](int i) { return tile.kv_head * group + (tile.skipped + i) % group; };
  std::array<AttentionQuery, Attention<Kv>::kMostQueries> queries;
  for (int i = 0; i < tile.count; ++i) {
    const int row = row_of(i);
    const int head = head_of(i);
    queries[static_cast<std::size_t>(i)] = {
        .query = qkv_row(row) + at(head, width),
        .path = path_of(l, row),
        .slope = slopes_.empty() ? 0.0f : slopes_[static_cast<std::size_t>(head)],
        .sink = sinks.empty() ? nullptr : &sinks[static_cast<std::size_t>(head)],
        .out = attended_.row(row) + at(head, width),
        .softmax_out =
            observed.has_attention() ? softmax_.data() + at(row, config_.heads) + head : nullptr,
        .best_out = observed.best_keys_out(row, {l + 1, head})};
  }
  const CpuKvCache& cache = cache_of(tile.first_row);
  const Attention<Kv> args{
      .queries = queries.data(),
      .count = tile.count,
      .head_width = width,
      .keys = cache.keys<Kv>(l, tile.kv_head),
      .values = cache.values<Kv>(l, tile.kv_head),
      .next_keys = next_keys,
      .cap = config_.attention_cap,
      .scratch = scratch_.data() + static_cast<std::size_t>(thread) *
                                       Attention<Kv>::scratch_floats(scratch_stride_, width),
      .scratch_stride = scratch_stride_};
  kernels_.attend(args);
  for (int i = 0; i < tile.count; ++i) {
    const int row = row_of(i);
    if (std::int32_t* best = queries[static_cast<std::size_t>(i)].best_out)
      *best += before_window(l, layout_[static_cast<std::size_t>(row)].position);
    if (!heads_share_blocks_) attended_.finish(kernels_, row, head_of(i) * width, width);
  }
}

}  // namespace outrider::engine::cpu
