#pragma once

#include "runtime/engine/cuda/kv_numbers.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// Attention in splits of 256 logical positions: the maximum is that of all keys, which has no order; a split's total and
// sums of values are each computed as if it were alone, and those of the splits are added in ascending order
// (engine/cpu/attention.h). A block of threads has one KV head with its query heads, one split, and one row, or the rows of a
// tile, which read the same keys and values.

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

/// Which rows a block has: one, by its number, or those of a tile.
template <bool kTiled>
DEVICE RowTile rows_of_block(const AttentionArgs& a) {
  if constexpr (kTiled) {
    return a.tiles[blockIdx.x];
  } else {
    return {static_cast<int>(blockIdx.x), 1};
  }
}

/// Attention of a block's rows by the query heads of a KV head in one split, and its shared memory. A query is one head of one
/// row; those of a row follow each other. A later row of a tile sees more keys.
/// @tparam kTiled  the block has a tile of rows: they see all positions, and each position's slot has its number
template <class Kv, bool kTiled>
class SplitAttention {
 public:
  /// Floats of shared memory, before the values of a split, where these are kept there.
  static constexpr int floats(int queries, int width) {
    return 2 * queries * width + queries * kSplit + kSplit + queries * (2 * kAttentionWarps + 4);
  }

  DEVICE SplitAttention(const AttentionArgs& a, int split)
      : a_(a),
        tile_(rows_of_block<kTiled>(a)),
        row_(a.pass_rows[tile_.first_row + tile_.rows - 1]),
        keys_(keys_of_split(row_, a.window, split)),
        thread_(static_cast<int>(threadIdx.x)),
        group_(a.shape.heads / a.shape.kv_heads),
        count_(tile_.rows * group_),
        width_(a.shape.head_width),
        kv_head_(static_cast<int>(blockIdx.y)) {
    queries_ = dynamic_shared<float>();
    outs_ = queries_ + count_ * width_;
    scores_ = outs_ + count_ * width_;
    slots_ = reinterpret_cast<int*>(scores_ + count_ * kSplit);
    best_ = reinterpret_cast<BestKey*>(slots_ + kSplit);
    largest_ = reinterpret_cast<float*>(best_ + count_ * kAttentionWarps);
    totals_ = largest_ + 2 * count_;
    values_ = reinterpret_cast<std::uint8_t*>(queries_ + floats(count_, width_));
  }

  /// Of the last row, which has the most.
  DEVICE const SplitKeys& keys() const { return keys_; }
  /// Keys of the split that a query sees.
  DEVICE int keys_of(int q) const {
    if constexpr (kTiled) {
      const int seen = position_of(q) + 1 - keys_.first;
      return seen < 0 ? 0 : seen < kSplit ? seen : kSplit;
    } else {
      return keys_.count;
    }
  }
  /// Splits that a query sees.
  DEVICE int splits_of(int q) const {
    if constexpr (kTiled) {
      return position_of(q) / kSplit + 1;
    } else {
      return keys_.splits;
    }
  }
  /// The number of a query among those of all rows.
  DEVICE std::size_t head(int q) const {
    return static_cast<std::size_t>(tile_.first_row + q / group_) * a_.shape.heads +
           kv_head_ * group_ + q % group_;
  }
  /// Queries of the block.
  DEVICE int count() const { return count_; }
  DEVICE int width() const { return width_; }
  DEVICE float* scores(int q) const { return scores_ + q * kSplit; }
  DEVICE float& largest(int q) const { return largest_[q]; }
  DEVICE float& total(int q) const { return totals_[q]; }
  DEVICE float* outs() const { return outs_; }

  DEVICE void read_slots() const {
    if constexpr (kTiled) return;
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
                    value_row<Kv>(values(), slot(i / units), width_) + i % units * 16);
    copy_async_commit();
  }

  /// Scores of the keys, one a thread, for every query. A row that does not see a key gets a score too, which nobody reads.
  DEVICE void score() const {
    const int row_width = (a_.shape.heads + 2 * a_.shape.kv_heads) * width_;
    const float* source = a_.qkv + static_cast<std::size_t>(tile_.first_row) * row_width +
                          static_cast<std::size_t>(kv_head_) * group_ * width_;
    for (int i = thread_; i < count_ * width_; i += kAttentionThreads) {
      const int row = kTiled ? i / (group_ * width_) : 0;
      queries_[i] = source[static_cast<std::size_t>(row) * (row_width - group_ * width_) + i];
    }
    __syncthreads();
    if (thread_ < keys_.count) {
      int q = 0;
      if constexpr (kTiled)
        for (; q + 8 <= count_; q += 8) score_queries<8>(q);
      for (; q + 4 <= count_; q += 4) score_queries<4>(q);
      if (count_ - q == 3) score_queries<3>(q);
      if (count_ - q == 2) score_queries<2>(q);
      if (count_ - q == 1) score_queries<1>(q);
    }
    __syncthreads();
  }

  /// The best key of the split for every query, in `best(q)`.
  DEVICE void find_best() const {
    for (int q = 0; q < count_; ++q) {
      BestKey mine{scores(q)[0], keys_.first};
      if (thread_ < keys_of(q)) mine = {scores(q)[thread_], keys_.first + thread_};
      for (int bits = 16; bits > 0; bits /= 2)
        mine = better(mine, {__shfl_xor_sync(kWholeWarp, mine.score, bits),
                             __shfl_xor_sync(kWholeWarp, mine.position, bits)});
      if (thread_ % 32 == 0) best_[q * kAttentionWarps + thread_ / 32] = mine;
    }
    __syncthreads();
  }
  DEVICE BestKey best(int q) const {
    BestKey found = best_[q * kAttentionWarps];
    for (int w = 1; w < kAttentionWarps; ++w) found = better(found, best_[q * kAttentionWarps + w]);
    return found;
  }

  /// Replaces scores by their exponentials, and finds their totals, given the largest of each query.
  DEVICE void weigh() const {
    __syncthreads();
    for (int i = thread_; i < count_ * kSplit; i += kAttentionThreads)
      scores_[i] =
          i % kSplit < keys_of(i / kSplit) ? exp_of(scores_[i] - largest_[i / kSplit]) : 0.0f;
    __syncthreads();
    for (int q = thread_ / 32; q < count_; q += kAttentionWarps) {
      float sum = 0;
#pragma unroll
      for (int i = 0; i < kSplit; i += 16)
        sum = sum + scores_[q * kSplit + i + lane_of_thread() % 16];
      sum = sum_of_sixteen(sum);
      if (thread_ % 32 == 0) totals_[q] = sum;
    }
    __syncthreads();
  }

  /// The sums of the weighed values, one chain for each number, into `outs`, [count, width].
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
        return static_cast<const std::uint8_t*>(value_row<Kv>(values(), slot(key), width_));
      }
    };
    if constexpr (kTiled) {
      add_numbers_of_queries(row_of);
    } else if (count_ * width_ <= kAttentionThreads) {
      // A number a thread where there are threads for all, else two that lie together.
      add_numbers<1>(row_of);
    } else {
      add_numbers<2>(row_of);
    }
  }

  /// Writes the results of the queries, `outs` divided by the totals.
  DEVICE void write_outs() const {
    __syncthreads();
    for (int i = 4 * thread_; i < count_ * width_; i += 4 * kAttentionThreads) {
      const float4 sum = *reinterpret_cast<const float4*>(outs_ + i);
      const int q = i / width_, row = q / group_;
      const float total = totals_[q];
      write_operand(make_float4(sum.x / total, sum.y / total, sum.z / total, sum.w / total),
                    (kv_head_ - row) * group_ * width_ + i, tile_.first_row + row,
                    a_.shape.heads * width_, a_.out);
    }
    if (a_.softmax != nullptr && thread_ < count_)
      a_.softmax[head(thread_)] = {largest_[thread_], totals_[thread_]};
  }
  DEVICE void write_best(int q, int position) const {
    if (a_.best != nullptr)
      a_.best[static_cast<std::size_t>(tile_.first_row + q / group_) * a_.best_stride +
              kv_head_ * group_ + q % group_] = position;
  }

 private:
  /// Of a query's row.
  DEVICE int position_of(int q) const { return row_.position + 1 - tile_.rows + q / group_; }
  DEVICE int slot(int key) const {
    if constexpr (kTiled) {
      return keys_.first + key;
    } else {
      return slots_[key];
    }
  }

  /// Of a tile: a thread has two numbers of some queries, for which it reads a value once.
  template <class RowOf>
  DEVICE void add_numbers_of_queries(const RowOf& row_of) const {
    const int pairs = width_ / 2, teams = kAttentionThreads / pairs;
    const int team = thread_ / pairs, d = 2 * (thread_ % pairs);
    if (team >= teams) return;
    const int share = (count_ + teams - 1) / teams;
    const int end = (team + 1) * share < count_ ? (team + 1) * share : count_;
    int q = team * share;
    for (; q + 8 <= end; q += 8) add_pair<8>(q, d, row_of);
    for (; q + 4 <= end; q += 4) add_pair<4>(q, d, row_of);
    for (; q + 2 <= end; q += 2) add_pair<2>(q, d, row_of);
    for (; q < end; ++q) add_pair<1>(q, d, row_of);
  }
  template <int kQueries, class RowOf>
  DEVICE void add_pair(int q, int d, const RowOf& row_of) const {
    float sums[kQueries][2] = {};
    const auto add = [&](int i, const float(&numbers)[2], float weight) {
      sums[i][0] = __fmaf_rn(numbers[0], weight, sums[i][0]);
      sums[i][1] = __fmaf_rn(numbers[1], weight, sums[i][1]);
    };
    const int all = keys_of(q);  // that every one of these queries sees
    int key = 0;
    for (; key + 4 <= all; key += 4) {
      float numbers[4][2];
#pragma unroll
      for (int n = 0; n < 4; ++n) value_numbers<Kv>(row_of(key + n), d, width_, numbers[n]);
#pragma unroll
      for (int i = 0; i < kQueries; ++i) {
        const float4 weights = *reinterpret_cast<const float4*>(scores(q + i) + key);
        add(i, numbers[0], weights.x);
        add(i, numbers[1], weights.y);
        add(i, numbers[2], weights.z);
        add(i, numbers[3], weights.w);
      }
    }
    for (const int most = keys_of(q + kQueries - 1); key < most; ++key) {
      float numbers[2];
      value_numbers<Kv>(row_of(key), d, width_, numbers);
#pragma unroll
      for (int i = 0; i < kQueries; ++i)
        if (key < keys_of(q + i)) add(i, numbers, scores(q + i)[key]);
    }
#pragma unroll
    for (int i = 0; i < kQueries; ++i) {
      outs_[(q + i) * width_ + d] = sums[i][0];
      outs_[(q + i) * width_ + d + 1] = sums[i][1];
    }
  }

  /// @param row_of  where the value of a key of the split is
  template <int kNumbers, class RowOf>
  DEVICE void add_numbers(const RowOf& row_of) const {
    for (int i = kNumbers * thread_; i < count_ * width_; i += kNumbers * kAttentionThreads) {
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

  template <int kQueries>
  DEVICE void score_queries(int q) const {
    float some[kQueries];
    std::uint8_t* keys =
        head_at<Kv>(row_.cache, row_.head_bytes, a_.shape, a_.layer, kv_head_, false);
    score_key<Kv, kQueries>(keys, slot(thread_), width_, queries_ + q * width_, some);
#pragma unroll
    for (int i = 0; i < kQueries; ++i) {
      if (a_.slopes != nullptr)
        some[i] = some[i] + a_.slopes[kv_head_ * group_ + (q + i) % group_] *
                                static_cast<float>(keys_.first + thread_ - position_of(q + i));
      scores_[(q + i) * kSplit + thread_] = some[i];
    }
  }
  DEVICE std::uint8_t* values() const {
    return head_at<Kv>(row_.cache, row_.head_bytes, a_.shape, a_.layer, kv_head_, true);
  }

  const AttentionArgs& a_;
  RowTile tile_;
  PassRow row_;  // the last
  SplitKeys keys_;
  int thread_;
  int group_;
  int count_;  // queries
  int width_;
  int kv_head_;
  float* queries_;        // [count, width]
  float* outs_;           // [count, width]
  float* scores_;         // [count, kSplit]
  int* slots_;            // [kSplit]
  BestKey* best_;         // [count, warps]
  float* largest_;        // [count]
  float* totals_;         // [count]
  std::uint8_t* values_;  // [kSplit, row_bytes]
};

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
