#pragma once

#include "runtime/engine/cuda/kv_numbers.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// Attention in splits of 256 logical positions: the maximum is that of all keys, which has no order; a split's total and
// sums of values are each computed as if it were alone, and those of the splits are added in ascending order
// (engine/cpu/attention.h). A block of threads has one row, one KV head with its query heads, and one split.

constexpr int kAttentionThreads = 256;
constexpr int kAttentionWarps = kAttentionThreads / 32;

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

/// Attention of one row by the query heads of a KV head in one split, and its shared memory.
template <class Kv>
class SplitAttention {
 public:
  /// Floats of shared memory, before the values of a split, where these are kept there.
  static constexpr int floats(int group, int width) {
    return 2 * group * width + group * kSplit + kSplit + group * (2 * kAttentionWarps + 4);
  }

  DEVICE SplitAttention(const AttentionArgs& a, int split)
      : a_(a),
        row_(a.pass_rows[blockIdx.x]),
        keys_(keys_of_split(row_, a.window, split)),
        thread_(static_cast<int>(threadIdx.x)),
        group_(a.shape.heads / a.shape.kv_heads),
        width_(a.shape.head_width),
        kv_head_(static_cast<int>(blockIdx.y)) {
    queries_ = dynamic_shared<float>();
    outs_ = queries_ + group_ * width_;
    scores_ = outs_ + group_ * width_;
    slots_ = reinterpret_cast<int*>(scores_ + group_ * kSplit);
    best_ = reinterpret_cast<BestKey*>(slots_ + kSplit);
    largest_ = reinterpret_cast<float*>(best_ + group_ * kAttentionWarps);
    totals_ = largest_ + 2 * group_;
    values_ = reinterpret_cast<std::uint8_t*>(queries_ + floats(group_, width_));
  }

  DEVICE const SplitKeys& keys() const { return keys_; }
  /// The number of a query head of the group among those of all rows.
  DEVICE std::size_t head(int h) const {
    return static_cast<std::size_t>(blockIdx.x) * a_.shape.heads + kv_head_ * group_ + h;
  }
  DEVICE int group() const { return group_; }
  DEVICE int width() const { return width_; }
  DEVICE float* scores(int h) const { return scores_ + h * kSplit; }
  DEVICE float& largest(int h) const { return largest_[h]; }
  DEVICE float& total(int h) const { return totals_[h]; }
  DEVICE float* outs() const { return outs_; }

  DEVICE void read_slots() const {
    if (thread_ < keys_.count) {
      const int position = keys_.first + thread_;
      slots_[thread_] = position < row_.contiguous
                            ? position
                            : a_.extra[row_.first_extra + position - row_.contiguous];
    }
    __syncthreads();
  }

  /// Begins to read the values into shared memory, while scores are computed.
  DEVICE void fetch_values() const {
    const int units = Kv::row_bytes(width_) / 16;
    for (int i = thread_; i < keys_.count * units; i += kAttentionThreads)
      copy_async_16(values_ + static_cast<std::size_t>(i) * 16,
                    value_row<Kv>(values(), slots_[i / units], width_) + i % units * 16);
    copy_async_commit();
  }

  /// Scores of the keys, one a thread, for every query head.
  DEVICE void score() const {
    const float* source =
        a_.qkv + (static_cast<std::size_t>(blockIdx.x) * (a_.shape.heads + 2 * a_.shape.kv_heads) +
                  kv_head_ * group_) *
                     width_;
    for (int i = thread_; i < group_ * width_; i += kAttentionThreads) queries_[i] = source[i];
    __syncthreads();
    if (thread_ < keys_.count) {
      int h = 0;
      for (; h + 4 <= group_; h += 4) score_heads<4>(h);
      if (group_ - h == 3) score_heads<3>(h);
      if (group_ - h == 2) score_heads<2>(h);
      if (group_ - h == 1) score_heads<1>(h);
    }
    __syncthreads();
  }

  /// The best key of the split for every query head, in `best(h)` of the threads below `group`.
  DEVICE void find_best() const {
    for (int h = 0; h < group_; ++h) {
      BestKey mine{scores(h)[0], keys_.first};
      if (thread_ < keys_.count) mine = {scores(h)[thread_], keys_.first + thread_};
      for (int bits = 16; bits > 0; bits /= 2)
        mine = better(mine, {__shfl_xor_sync(kWholeWarp, mine.score, bits),
                             __shfl_xor_sync(kWholeWarp, mine.position, bits)});
      if (thread_ % 32 == 0) best_[h * kAttentionWarps + thread_ / 32] = mine;
    }
    __syncthreads();
  }
  DEVICE BestKey best(int h) const {
    BestKey found = best_[h * kAttentionWarps];
    for (int w = 1; w < kAttentionWarps; ++w) found = better(found, best_[h * kAttentionWarps + w]);
    return found;
  }

  /// Replaces scores by their exponentials, and finds their totals, given the largest of each head.
  DEVICE void weigh() const {
    __syncthreads();
    for (int i = thread_; i < group_ * kSplit; i += kAttentionThreads)
      scores_[i] = i % kSplit < keys_.count ? exp_of(scores_[i] - largest_[i / kSplit]) : 0.0f;
    __syncthreads();
    for (int h = thread_ / 32; h < group_; h += kAttentionWarps) {
      float sum = 0;
#pragma unroll
      for (int i = 0; i < kSplit; i += 16)
        sum = sum + scores_[h * kSplit + i + lane_of_thread() % 16];
      sum = sum_of_sixteen(sum);
      if (thread_ % 32 == 0) totals_[h] = sum;
    }
    __syncthreads();
  }

  /// The sums of the weighed values, one chain for each number, into `outs`, [group, width].
  /// @tparam kFetched  whether fetch_values was called
  template <bool kFetched>
  DEVICE void add_values() const {
    if constexpr (kFetched) {
      copy_async_wait<0>();
      __syncthreads();
    }
    const std::size_t row_bytes = static_cast<std::size_t>(Kv::row_bytes(width_));
    const auto row_of = [&](int key) {
      if constexpr (kFetched) {
        return static_cast<const std::uint8_t*>(values_ + key * row_bytes);
      } else {
        return static_cast<const std::uint8_t*>(value_row<Kv>(values(), slots_[key], width_));
      }
    };
    // A number a thread where there are threads for all, else two that lie together.
    if (group_ * width_ <= kAttentionThreads) {
      add_numbers<1>(row_of);
    } else {
      add_numbers<2>(row_of);
    }
  }

  /// Writes the results of the row's heads, `outs` divided by the totals.
  DEVICE void write_outs() const {
    __syncthreads();
    for (int i = 4 * thread_; i < group_ * width_; i += 4 * kAttentionThreads) {
      const float4 sum = *reinterpret_cast<const float4*>(outs_ + i);
      const float total = totals_[i / width_];
      write_operand(make_float4(sum.x / total, sum.y / total, sum.z / total, sum.w / total),
                    kv_head_ * group_ * width_ + i, static_cast<int>(blockIdx.x),
                    a_.shape.heads * width_, a_.out);
    }
    if (a_.softmax != nullptr && thread_ < group_)
      a_.softmax[head(thread_)] = {largest_[thread_], totals_[thread_]};
  }
  DEVICE void write_best(int h, int position) const {
    if (a_.best != nullptr)
      a_.best[static_cast<std::size_t>(blockIdx.x) * a_.best_stride + kv_head_ * group_ + h] =
          position;
  }

 private:
  /// @param row_of  where the value of a key of the split is
  template <int kNumbers, class RowOf>
  DEVICE void add_numbers(const RowOf& row_of) const {
    for (int i = kNumbers * thread_; i < group_ * width_; i += kNumbers * kAttentionThreads) {
      const int d = i % width_;
      const float* weights = scores(i / width_);
      float sums[kNumbers] = {};
      const auto add = [&](int key, float weight) {
        float numbers[kNumbers];
        value_numbers<Kv>(row_of(key), d, width_, numbers);
#pragma unroll
        for (int n = 0; n < kNumbers; ++n) sums[n] = __fmaf_rn(numbers[n], weight, sums[n]);
      };
      int key = 0;
#pragma unroll 4
      for (; key + 4 <= keys_.count; key += 4) {
        const float4 four = *reinterpret_cast<const float4*>(weights + key);
        add(key, four.x);
        add(key + 1, four.y);
        add(key + 2, four.z);
        add(key + 3, four.w);
      }
      for (; key < keys_.count; ++key) add(key, weights[key]);
#pragma unroll
      for (int n = 0; n < kNumbers; ++n) outs_[i + n] = sums[n];
    }
  }

  template <int kHeads>
  DEVICE void score_heads(int h) const {
    float some[kHeads];
    std::uint8_t* keys =
        head_at<Kv>(row_.cache, row_.head_bytes, a_.shape, a_.layer, kv_head_, false);
    score_key<Kv, kHeads>(keys, slots_[thread_], width_, queries_ + h * width_, some);
#pragma unroll
    for (int i = 0; i < kHeads; ++i) {
      if (a_.slopes != nullptr)
        some[i] = some[i] + a_.slopes[kv_head_ * group_ + h + i] *
                                static_cast<float>(keys_.first + thread_ - row_.position);
      scores_[(h + i) * kSplit + thread_] = some[i];
    }
  }
  DEVICE std::uint8_t* values() const {
    return head_at<Kv>(row_.cache, row_.head_bytes, a_.shape, a_.layer, kv_head_, true);
  }

  const AttentionArgs& a_;
  PassRow row_;
  SplitKeys keys_;
  int thread_;
  int group_;
  int width_;
  int kv_head_;
  float* queries_;        // [group, width]
  float* outs_;           // [group, width]
  float* scores_;         // [group, kSplit]
  int* slots_;            // [kSplit]
  BestKey* best_;         // [group, warps]
  float* largest_;        // [group]
  float* totals_;         // [group]
  std::uint8_t* values_;  // [kSplit, row_bytes]
};

/// For paths of one split. Grid: rows, KV heads.
template <class Kv, bool kFetch>
__global__ void __launch_bounds__(kAttentionThreads) attend_one_split(AttentionArgs a) {
  let_next_launch_begin();
  wait_for_launch_before();
  const SplitAttention<Kv> split(a, 0);
  const int thread = static_cast<int>(threadIdx.x);
  split.read_slots();
  if constexpr (kFetch) split.fetch_values();
  split.score();
  split.find_best();
  if (thread < split.group()) {
    const BestKey best = split.best(thread);
    split.largest(thread) = best.score;
    split.write_best(thread, best.position);
  }
  split.weigh();
  split.template add_values<kFetch>();
  split.write_outs();
}

/// The scores of longer paths, and the best key of each split. Grid: rows, KV heads, splits.
template <class Kv>
__global__ void __launch_bounds__(kAttentionThreads) score_splits(AttentionArgs a) {
  let_next_launch_begin();
  wait_for_launch_before();
  const int number = static_cast<int>(blockIdx.z), thread = static_cast<int>(threadIdx.x);
  const SplitAttention<Kv> split(a, number);
  if (split.keys().count == 0) return;
  split.read_slots();
  split.score();
  split.find_best();
  for (int h = 0; h < split.group(); ++h)
    if (thread < split.keys().count)
      a.scores[(split.head(h) * a.max_splits + number) * kSplit + thread] = split.scores(h)[thread];
  if (thread < split.group()) {
    const BestKey best = split.best(thread);
    float* to = a.maxima + (split.head(thread) * a.max_splits + number) * 2;
    to[0] = best.score;
    to[1] = __int_as_float(best.position);
  }
}

/// The values of longer paths. The last block of a row's KV head adds up what all splits have found.
template <class Kv, bool kFetch>
__global__ void __launch_bounds__(kAttentionThreads) add_splits(AttentionArgs a) {
  __shared__ unsigned before;
  let_next_launch_begin();
  wait_for_launch_before();
  const int number = static_cast<int>(blockIdx.z), thread = static_cast<int>(threadIdx.x);
  const SplitAttention<Kv> split(a, number);
  const int splits = split.keys().splits, width = split.width();
  if (split.keys().count == 0) return;
  split.read_slots();
  if constexpr (kFetch) split.fetch_values();
  if (thread < split.group()) {
    const float* maxima = a.maxima + split.head(thread) * a.max_splits * 2;
    BestKey best{maxima[0], __float_as_int(maxima[1])};
    for (int i = 1; i < splits; ++i)
      best = better(best, {maxima[2 * i], __float_as_int(maxima[2 * i + 1])});
    split.largest(thread) = best.score;
    if (number == 0) split.write_best(thread, best.position);
  }
  for (int h = 0; h < split.group(); ++h)
    if (thread < split.keys().count)
      split.scores(h)[thread] = a.scores[(split.head(h) * a.max_splits + number) * kSplit + thread];
  split.weigh();
  split.template add_values<kFetch>();
  __syncthreads();
  for (int i = thread; i < split.group() * width; i += kAttentionThreads)
    a.partial[(split.head(i / width) * a.max_splits + number) * width + i % width] =
        split.outs()[i];
  if (thread < split.group())
    a.totals[split.head(thread) * a.max_splits + number] = split.total(thread);
  __threadfence();
  __syncthreads();
  unsigned* finished =
      a.finished + blockIdx.x * static_cast<unsigned>(a.shape.kv_heads) + blockIdx.y;
  if (thread == 0) before = add_release(finished, 1);
  __syncthreads();
  if (before + 1 < static_cast<unsigned>(splits)) return;
  if (thread == 0) *finished = 0;
  for (int i = thread; i < split.group() * width; i += kAttentionThreads) {
    const float* partial = a.partial + split.head(i / width) * a.max_splits * width + i % width;
    float sum = partial[0];
    for (int k = 1; k < splits; ++k) sum = sum + partial[k * width];
    split.outs()[i] = sum;
  }
  if (thread < split.group()) {
    const float* totals = a.totals + split.head(thread) * a.max_splits;
    float total = totals[0];
    for (int k = 1; k < splits; ++k) total = total + totals[k];
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
