#pragma once

#include "runtime/engine/cuda/split_attention.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// The kernels of attention: one launch where no path has more than one split, else one for scores and one for values.

/// For paths of one split. Grid: rows or tiles, KV heads.
template <class Kv, bool kFetch, bool kTiled>
__global__ void __launch_bounds__(kAttentionThreads) attend_one_split(AttentionArgs a) {
  let_next_launch_begin();
  wait_for_launch_before();
  const SplitAttention<Kv, kTiled> split(a, 0);
  const int thread = static_cast<int>(threadIdx.x);
  split.read_slots();
  if constexpr (kFetch) split.fetch_values();
  split.score();
  split.find_best();
  if (thread < split.count()) {
    const BestKey best = split.best(thread);
    split.largest(thread) = best.score;
    split.write_best(thread, best.position);
  }
  split.weigh();
  split.template add_values<kFetch>();
  split.write_outs();
}

/// The scores of longer paths, and the best key of each split. Grid: rows or tiles, KV heads, splits.
template <class Kv, bool kTiled>
__global__ void __launch_bounds__(kAttentionThreads) score_splits(AttentionArgs a) {
  let_next_launch_begin();
  wait_for_launch_before();
  const int number = static_cast<int>(blockIdx.z), thread = static_cast<int>(threadIdx.x);
  const SplitAttention<Kv, kTiled> split(a, number);
  if (split.keys().count == 0) return;
  split.read_slots();
  split.score();
  split.find_best();
  for (int q = 0; q < split.count(); ++q)
    if (thread < split.keys_of(q))
      a.scores[(split.head(q) * a.max_splits + number) * kSplit + thread] = split.scores(q)[thread];
  if (thread < split.count() && split.keys_of(thread) > 0) {
    const BestKey best = split.best(thread);
    float* to = a.maxima + (split.head(thread) * a.max_splits + number) * 2;
    to[0] = best.score;
    to[1] = __int_as_float(best.position);
  }
}

/// The values of longer paths. The last block of a row's, or tile's, KV head adds up what all splits have found.
template <class Kv, bool kFetch, bool kTiled>
__global__ void __launch_bounds__(kAttentionThreads, kTiled ? 2 : 0) add_splits(AttentionArgs a) {
  __shared__ unsigned before;
  let_next_launch_begin();
  wait_for_launch_before();
  const int number = static_cast<int>(blockIdx.z), thread = static_cast<int>(threadIdx.x);
  const SplitAttention<Kv, kTiled> split(a, number);
  const int width = split.width();
  if (split.keys().count == 0) return;
  split.read_slots();
  if constexpr (kFetch) split.fetch_values();
  if (thread < split.count()) {
    const float* maxima = a.maxima + split.head(thread) * a.max_splits * 2;
    BestKey best{maxima[0], __float_as_int(maxima[1])};
    for (int i = 1; i < split.splits_of(thread); ++i)
      best = better(best, {maxima[2 * i], __float_as_int(maxima[2 * i + 1])});
    split.largest(thread) = best.score;
    if (number == 0) split.write_best(thread, best.position);
  }
  for (int q = 0; q < split.count(); ++q)
    if (thread < split.keys_of(q))
      split.scores(q)[thread] = a.scores[(split.head(q) * a.max_splits + number) * kSplit + thread];
  split.weigh();
  split.template add_values<kFetch>();
  __syncthreads();
  for (int i = thread; i < split.count() * width; i += kAttentionThreads)
    if (split.keys_of(i / width) > 0)
      a.partial[(split.head(i / width) * a.max_splits + number) * width + i % width] =
          split.outs()[i];
  if (thread < split.count() && split.keys_of(thread) > 0)
    a.totals[split.head(thread) * a.max_splits + number] = split.total(thread);
  __threadfence();
  __syncthreads();
  unsigned* finished =
      a.finished + blockIdx.x * static_cast<unsigned>(a.shape.kv_heads) + blockIdx.y;
  if (thread == 0) before = add_release(finished, 1);
  __syncthreads();
  if (before + 1 < static_cast<unsigned>(split.keys().splits)) return;
  if (thread == 0) *finished = 0;
  for (int i = thread; i < split.count() * width; i += kAttentionThreads) {
    const float* partial = a.partial + split.head(i / width) * a.max_splits * width + i % width;
    float sum = partial[0];
    for (int k = 1; k < split.splits_of(i / width); ++k) sum = sum + partial[k * width];
    split.outs()[i] = sum;
  }
  if (thread < split.count()) {
    const float* totals = a.totals + split.head(thread) * a.max_splits;
    float total = totals[0];
    for (int k = 1; k < split.splits_of(thread); ++k) total = total + totals[k];
    split.total(thread) = total;
  }
  split.write_outs();
}

/// Attention weights of single keys, with the bits that attention computed with. Grid: heads, parts of the positions.
template <class Kv>
__global__ void weigh_keys(WeighArgs a) {
  const int head_number = static_cast<int>(blockIdx.x);
  const int i = static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x);
  if (i >= a.count) return;
  const int layer = a.layer_heads[2 * head_number], head = a.layer_heads[2 * head_number + 1];
  const int window = a.windows[head_number], position = a.positions[i];
  float weight = 0;
  if (window == 0 || position >= a.position + 1 - window) {
    std::uint8_t* keys = head_at<Kv>(const_cast<std::uint8_t*>(a.cache), a.head_bytes, a.shape,
                                     layer, head / (a.shape.heads / a.shape.kv_heads), false);
    float score[1];
    score_key<Kv, 1>(keys, position, a.shape.head_width,
                     a.queries + head_number * a.shape.head_width, score);
    if (a.slopes != nullptr)
      score[0] = score[0] + a.slopes[head] * static_cast<float>(position - a.position);
    const Softmax& softmax = a.softmax[head_number];
    weight = exp_of(score[0] - softmax.largest) / softmax.total;
  }
  a.out[static_cast<std::size_t>(head_number) * a.count + i] = weight;
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
