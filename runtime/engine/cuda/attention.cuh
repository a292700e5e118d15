#pragma once

#include "runtime/engine/cuda/kv_numbers.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// Attention in splits of 256 logical positions: the maximum is that of all keys, which has no order; a split's total and
// sums of values are each computed as if it were alone, and those of the splits are added in ascending order
// (engine/cpu/attention.h). A block of threads has one row, one KV head with its query heads, and one split.

constexpr int kAttentionThreads = 256;

/// What one row sees in one split.
struct SplitKeys {
  int first;   // logical position of the first
  int count;   // 0: the row has fewer splits
  int splits;  // of the row
};
DEVICE SplitKeys keys_of_split(const PassRow& row, int window, int split) {
  const int unseen = window > 0 && row.position + 1 > window ? row.position + 1 - window : 0;
  const int begin_split = unseen / kSplit;
  SplitKeys keys{unseen, 0, row.position / kSplit - begin_split + 1};
  if (split >= keys.splits) return keys;
  if (split > 0) keys.first = (begin_split + split) * kSplit;
  const int end = (begin_split + split + 1) * kSplit;
  keys.count = (end < row.position + 1 ? end : row.position + 1) - keys.first;
  return keys;
}

struct BestKey {
  float score;
  int position;
};
DEVICE BestKey better(const BestKey& a, const BestKey& b) {
  return b.score > a.score || (b.score == a.score && b.position < a.position) ? b : a;
}
/// The best of a block of kAttentionThreads, for every thread.
DEVICE BestKey best_of_block(BestKey mine) {
  __shared__ BestKey of_warps[kAttentionThreads / 32];
  for (int bits = 16; bits > 0; bits /= 2) {
    const BestKey other{__shfl_xor_sync(kWholeWarp, mine.score, bits), __shfl_xor_sync(kWholeWarp, mine.position, bits)};
    mine = better(mine, other);
  }
  __syncthreads();  // the last call's results have been read
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  mine = of_warps[0];
  for (int w = 1; w < kAttentionThreads / 32; ++w) mine = better(mine, of_warps[w]);
  return mine;
}

/// Scores of a split's keys for the query heads of a KV head, into [group, kSplit] of shared memory.
template <class Kv>
DEVICE void score_split(const AttentionArgs& a, const PassRow& row, const SplitKeys& keys, int row_number, int kv_head,
                        float* queries, float* scores) {
  const int thread = static_cast<int>(threadIdx.x), width = a.shape.head_width;
  const int group = a.shape.heads / a.shape.kv_heads;
  const float* source = a.qkv + (static_cast<std::size_t>(row_number) * (a.shape.heads + 2 * a.shape.kv_heads) +
                                 kv_head * group) * width;
  for (int i = thread; i < group * width; i += kAttentionThreads) queries[i] = source[i];
  __syncthreads();
  if (thread < keys.count) {
    const int position = keys.first + thread;
    std::uint8_t* head = head_at<Kv>(row.cache, row.head_bytes, a.shape, a.layer, kv_head, false);
    const int slot = slot_at(row, a.extra, position);
    const auto finish = [&](int h, float score) {
      if (a.slopes != nullptr)
        score = score + a.slopes[kv_head * group + h] * static_cast<float>(position - row.position);
      scores[h * kSplit + thread] = score;
    };
    // Several heads share the loads of a key.
    int h = 0;
    for (; h + 4 <= group; h += 4) {
      float some[4];
      score_key<Kv, 4>(head, slot, width, queries + h * width, some);
      for (int i = 0; i < 4; ++i) finish(h + i, some[i]);
    }
    for (; h < group; ++h) {
      float one[1];
      score_key<Kv, 1>(head, slot, width, queries + h * width, one);
      finish(h, one[0]);
    }
  }
  __syncthreads();
}

/// Replaces a split's scores by their exponentials, in place, and finds their totals, [group].
DEVICE void exponentials(const SplitKeys& keys, int group, const float* largest, float* scores, float* totals) {
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  for (int i = thread; i < group * kSplit; i += kAttentionThreads)
    scores[i] = i % kSplit < keys.count ? exp_of(scores[i] - largest[i / kSplit]) : 0.0f;
  __syncthreads();
  for (int h = warp; h < group; h += kAttentionThreads / 32) {
    float total = 0;
#pragma unroll
    for (int i = lane_of_thread() % 16; i < kSplit; i += 16) total = total + scores[h * kSplit + i];
    total = sum_of_sixteen(total);
    if (thread % 32 == 0) totals[h] = total;
  }
  __syncthreads();
}

/// The sums of a split's values, weighed: one chain for each number. Calls take(h, d, sum).
template <class Kv, class Take>
DEVICE void sum_values(const AttentionArgs& a, const PassRow& row, const SplitKeys& keys, int kv_head, const int* slots,
                       const float* weights, const Take& take) {
  const int width = a.shape.head_width, group = a.shape.heads / a.shape.kv_heads;
  std::uint8_t* head = head_at<Kv>(row.cache, row.head_bytes, a.shape, a.layer, kv_head, true);
  for (int i = static_cast<int>(threadIdx.x); i < group * width; i += kAttentionThreads) {
    const int h = i / width, d = i % width;
    float sum = 0;
#pragma unroll 8
    for (int key = 0; key < keys.count; ++key)
      sum = __fmaf_rn(value_number<Kv>(value_row<Kv>(head, slots[key], width), d, width), weights[h * kSplit + key], sum);
    take(h, d, sum);
  }
}

/// The shared memory of attention, in floats: queries, scores, slots, and a few numbers for each head of a group.
struct AttentionMemory {
  float* queries;  // [group, head_width]
  float* scores;   // [group, kSplit]
  int* slots;      // [kSplit]
  float* largest;  // [group]
  float* totals;   // [group]

  DEVICE AttentionMemory(float* at, int group, int width)
      : queries(at),
        scores(queries + group * width),
        slots(reinterpret_cast<int*>(scores + group * kSplit)),
        largest(reinterpret_cast<float*>(slots + kSplit)),
        totals(largest + group) {}
};

DEVICE void read_slots(const AttentionArgs& a, const PassRow& row, const SplitKeys& keys, int* slots) {
  for (int i = static_cast<int>(threadIdx.x); i < keys.count; i += kAttentionThreads)
    slots[i] = slot_at(row, a.extra, keys.first + i);
}

/// For paths of one split. Grid: rows, KV heads.
template <class Kv>
__global__ void __launch_bounds__(kAttentionThreads) attend_one_split(AttentionArgs a) {
  const int row_number = static_cast<int>(blockIdx.x), kv_head = static_cast<int>(blockIdx.y);
  const int thread = static_cast<int>(threadIdx.x), width = a.shape.head_width;
  const int group = a.shape.heads / a.shape.kv_heads;
  const AttentionMemory memory(dynamic_shared<float>(), group, width);
  const PassRow row = a.pass_rows[row_number];
  const SplitKeys keys = keys_of_split(row, a.window, 0);
  read_slots(a, row, keys, memory.slots);
  score_split<Kv>(a, row, keys, row_number, kv_head, memory.queries, memory.scores);
  for (int h = 0; h < group; ++h) {
    BestKey mine{memory.scores[h * kSplit], keys.first};
    if (thread < keys.count) mine = {memory.scores[h * kSplit + thread], keys.first + thread};
    const BestKey best = best_of_block(mine);
    if (thread != 0) continue;
    memory.largest[h] = best.score;
    if (a.best != nullptr)
      a.best[static_cast<std::size_t>(row_number) * a.best_stride + kv_head * group + h] = best.position;
  }
  __syncthreads();
  exponentials(keys, group, memory.largest, memory.scores, memory.totals);
  sum_values<Kv>(a, row, keys, kv_head, memory.slots, memory.scores, [&](int h, int d, float sum) {
    a.out[(static_cast<std::size_t>(row_number) * a.shape.heads + kv_head * group + h) * width + d] =
        sum / memory.totals[h];
  });
  if (a.softmax != nullptr && thread < group)
    a.softmax[static_cast<std::size_t>(row_number) * a.shape.heads + kv_head * group + thread] = {
        memory.largest[thread], memory.totals[thread]};
}

/// The scores of longer paths, and the largest of each split. Grid: rows, KV heads, splits.
template <class Kv>
__global__ void __launch_bounds__(kAttentionThreads) score_splits(AttentionArgs a) {
  const int row_number = static_cast<int>(blockIdx.x), kv_head = static_cast<int>(blockIdx.y);
  const int split = static_cast<int>(blockIdx.z), thread = static_cast<int>(threadIdx.x);
  const int group = a.shape.heads / a.shape.kv_heads;
  const AttentionMemory memory(dynamic_shared<float>(), group, a.shape.head_width);
  const PassRow row = a.pass_rows[row_number];
  const SplitKeys keys = keys_of_split(row, a.window, split);
  if (keys.count == 0) return;
  score_split<Kv>(a, row, keys, row_number, kv_head, memory.queries, memory.scores);
  for (int h = 0; h < group; ++h) {
    const std::size_t head = static_cast<std::size_t>(row_number) * a.shape.heads + kv_head * group + h;
    const float* scores = memory.scores + h * kSplit;
    BestKey mine{scores[0], keys.first};
    if (thread < keys.count) {
      mine = {scores[thread], keys.first + thread};
      a.scores[(head * a.max_splits + split) * kSplit + thread] = scores[thread];
    }
    const BestKey best = best_of_block(mine);
    if (thread == 0) a.maxima[(head * a.max_splits + split) * 2] = best.score;
    if (thread == 0) a.maxima[(head * a.max_splits + split) * 2 + 1] = __int_as_float(best.position);
  }
}

/// The values of longer paths. The last block of a row's KV head adds up what all splits have found.
template <class Kv>
__global__ void __launch_bounds__(kAttentionThreads) add_splits(AttentionArgs a) {
  const int row_number = static_cast<int>(blockIdx.x), kv_head = static_cast<int>(blockIdx.y);
  const int split = static_cast<int>(blockIdx.z), thread = static_cast<int>(threadIdx.x);
  const int width = a.shape.head_width, group = a.shape.heads / a.shape.kv_heads;
  __shared__ unsigned before;
  const AttentionMemory memory(dynamic_shared<float>(), group, width);
  const PassRow row = a.pass_rows[row_number];
  const SplitKeys keys = keys_of_split(row, a.window, split);
  if (keys.count == 0) return;
  const std::size_t first_head = static_cast<std::size_t>(row_number) * a.shape.heads + kv_head * group;
  read_slots(a, row, keys, memory.slots);
  if (thread < group) {
    const float* maxima = a.maxima + (first_head + thread) * a.max_splits * 2;
    BestKey best{maxima[0], __float_as_int(maxima[1])};
    for (int i = 1; i < keys.splits; ++i) best = better(best, {maxima[2 * i], __float_as_int(maxima[2 * i + 1])});
    memory.largest[thread] = best.score;
    if (a.best != nullptr && split == 0)
      a.best[static_cast<std::size_t>(row_number) * a.best_stride + kv_head * group + thread] = best.position;
  }
  for (int h = 0; h < group; ++h)
    if (thread < keys.count)
      memory.scores[h * kSplit + thread] = a.scores[((first_head + h) * a.max_splits + split) * kSplit + thread];
  __syncthreads();
  exponentials(keys, group, memory.largest, memory.scores, memory.totals);
  sum_values<Kv>(a, row, keys, kv_head, memory.slots, memory.scores, [&](int h, int d, float sum) {
    a.partial[((first_head + h) * a.max_splits + split) * width + d] = sum;
  });
  if (thread < group) a.totals[(first_head + thread) * a.max_splits + split] = memory.totals[thread];
  __threadfence();
  __syncthreads();
  unsigned* finished = a.finished + static_cast<std::size_t>(row_number) * a.shape.kv_heads + kv_head;
  if (thread == 0) before = add_release(finished, 1);
  __syncthreads();
  if (before + 1 < static_cast<unsigned>(keys.splits)) return;
  if (thread == 0) *finished = 0;
  for (int i = thread; i < group * width; i += kAttentionThreads) {
    const std::size_t head = first_head + i / width;
    const int d = i % width;
    const float* totals = a.totals + head * a.max_splits;
    float total = totals[0], sum = a.partial[head * a.max_splits * width + d];
    for (int k = 1; k < keys.splits; ++k) {
      total = total + totals[k];
      sum = sum + a.partial[(head * a.max_splits + k) * width + d];
    }
    a.out[head * width + d] = sum / total;
    if (a.softmax != nullptr && d == 0) a.softmax[head] = {memory.largest[i / width], total};
  }
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
    std::uint8_t* keys = head_at<Kv>(const_cast<std::uint8_t*>(a.cache), a.head_bytes, a.shape, layer,
                                     head / (a.shape.heads / a.shape.kv_heads), false);
    float score[1];
    score_key<Kv, 1>(keys, position, a.shape.head_width, a.queries + head_number * a.shape.head_width, score);
    if (a.slopes != nullptr) score[0] = score[0] + a.slopes[head] * static_cast<float>(position - a.position);
    const Softmax& softmax = a.softmax[head_number];
    weight = exp_of(score[0] - softmax.largest) / softmax.total;
  }
  a.out[static_cast<std::size_t>(head_number) * a.count + i] = weight;
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
