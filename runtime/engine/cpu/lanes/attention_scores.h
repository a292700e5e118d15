#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/engine/cpu/attention.h"
#include "runtime/engine/cpu/lanes/exp.h"
#include "runtime/engine/cpu/lanes/kv_numbers.h"
#include "runtime/engine/cpu/lanes/row_ops.h"
#include "runtime/engine/cpu/lanes/unrolled.h"

namespace outrider::engine::cpu {

/// Prefetches `bytes` bytes from `p` on. Never faults, whatever the address.
inline void prefetch(const void* p, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 64)
    __builtin_prefetch(static_cast<const std::uint8_t*>(p) + i);
}

/// Scores of B blocks of sixteen slots for Q queries, [head_width, Q], which share the loads of the
/// keys. Each slot's score is one chain over the head's width, so it depends on the query and on that
/// slot's key only, whichever slot holds it.
/// @param next  read after these blocks: as many bytes are prefetched
template <class L, int Q, int B, typename Kv>
void score_blocks(const Attention<Kv>& a, int first_query, int block, const Kv* next) {
  L sums[Q * B];
  unrolled<Q * B>([&](int i) OUTRIDER_INLINE { sums[i] = L::zero(); });
  const float* queries = a.packed_queries();
  const KvLayout<Kv> layout{a.head_width};
  const Kv* keys = a.keys + layout.sixteen_keys(block);
  constexpr std::size_t kPart = B * 16 * sizeof(Kv);  // to prefetch in each step
  const std::ptrdiff_t block_size = layout.sixteen_keys(1);
  using Keys = SixteenKeys<L, Kv>;
  for (int d = 0; d < a.head_width;) {
    typename Keys::Scale scales[B];
    unrolled<B>([&](int b) OUTRIDER_INLINE {
      scales[b] = Keys::scale(keys + b * block_size, a.head_width, d);
    });
    for (const int end = Keys::end(d, a.head_width); d < end; ++d) {
      prefetch(next + static_cast<std::ptrdiff_t>(d) * B * 16, kPart);
      L key[B];
      unrolled<B>(
          [&](int b) OUTRIDER_INLINE { key[b] = Keys::read(keys + b * block_size, d, scales[b]); });
      unrolled<Q>([&](int i) OUTRIDER_INLINE {
        const L query = L::broadcast(queries[d * Q + i]);
        unrolled<B>([&](int b) OUTRIDER_INLINE {
          sums[i * B + b] = L::fma(key[b], query, sums[i * B + b]);
        });
      });
    }
  }
  unrolled<Q * B>([&](int i) OUTRIDER_INLINE {
    sums[i].store(a.scores(first_query + i / B) + (block + i % B) * 16);
  });
}

/// Scores of the blocks [block, last_block), B at a time, the rest by halves of B. Prefetched are the next
/// B blocks, at the end the first values: more than that would have left the cache before it is read.
template <class L, int Q, int B, typename Kv>
void score_slots(const Attention<Kv>& a, int first_query, int block, int last_block) {
  const KvLayout<Kv> layout{a.head_width};
  for (; block + B <= last_block; block += B) {
    const bool more = block + 2 * B <= last_block;
    score_blocks<L, Q, B>(a, first_query, block,
                          more ? a.keys + layout.sixteen_keys(block + B) : a.values);
  }
  if constexpr (B > 1) score_slots<L, Q, B / 2>(a, first_query, block, last_block);
}

/// Scores of every slot on the path of any of Q queries, and of others between them, which nothing
/// reads.
template <class L, int Q, typename Kv>
void score_queries(const Attention<Kv>& a, int first_query) {
  const AttentionQuery* queries = a.queries + first_query;
  int first = queries[0].path.first;
  int contiguous = 0;
  int extra_first = std::numeric_limits<int>::max();
  int extra_end = 0;
  for (int i = 0; i < Q; ++i) {
    const KeyPath& path = queries[i].path;
    first = std::min(first, path.first);
    contiguous = std::max(contiguous, path.contiguous);
    if (path.num_extra > 0) {
      extra_first = std::min(extra_first, path.extra[0]);
      extra_end = std::max(extra_end, path.extra[path.num_extra - 1] + 1);
    }
    for (int d = 0; d < a.head_width; ++d) a.packed_queries()[d * Q + i] = queries[i].query[d];
  }
  constexpr int kBlocks = std::clamp(L::kSums / Q, 1, 8);
  const int contiguous_end = (contiguous + 15) / 16;
  score_slots<L, Q, kBlocks>(a, first_query, first / 16, contiguous_end);
  score_slots<L, Q, kBlocks>(a, first_query, std::max(contiguous_end, extra_first / 16),
                             (extra_end + 15) / 16);
}

/// Adds slope * (position - last) to [n] scores of the positions up to `last`, the row's position.
inline void add_distances(float slope, int n, float* scores) {
  for (int i = 0; i < n; ++i) scores[i] += slope * static_cast<float>(i - (n - 1));
}

/// Bounds [n] scores softly.
template <class L>
void cap_scores(float cap, int n, float* scores) {
  const int whole = n / 16 * 16;
  soft_cap<L>(scores, whole, cap);
  if (whole == n) return;
  float part[16] = {};
  std::copy_n(scores + whole, n - whole, part);
  soft_cap<L>(part, 16, cap);
  std::copy_n(part, n - whole, scores + whole);
}

/// The largest of [n] scores, after which there is room for fifteen more.
template <class L>
float largest_of(float* scores, int n) {
  const int padded = (n + 15) / 16 * 16;
  std::fill(scores + n, scores + padded, -std::numeric_limits<float>::infinity());
  L most = L::load(scores);
  for (int i = 16; i < padded; i += 16) most = L::max(most, L::load(scores + i));
  return most.largest();
}

/// Replaces the [n] scores of a split by exp(score - largest) and sums them; key i adds into lane i mod 16.
template <class L>
float exponentials(float* scores, int n, float largest) {
  L total = L::zero();
  int i = 0;
  for (; i + 16 <= n; i += 16) {
    const L e = exp(L::load(scores + i) - L::broadcast(largest));
    e.store(scores + i);
    total = total + e;
  }
  if (i < n) {  // lanes after the last key are of the next split, or padding
    float part[16];
    exp(L::load(scores + i) - L::broadcast(largest)).store(part);
    std::fill(part + (n - i), part + 16, 0.0f);
    total = total + L::load(part);
    std::copy_n(part, n - i, scores + i);
  }
  return total.sum();
}

/// Replaces the scores of a path's keys, from the first on, by their exponentials, split by split.
/// @param sink  one more score, of no key; null: none
template <class L>
Softmax softmax_of(const KeyPath& path, const float* sink, float* scores) {
  Softmax softmax{largest_of<L>(scores, path.length()), 0};
  if (sink != nullptr) softmax.largest = std::max(softmax.largest, *sink);
  for (int key = path.first; key < path.end();) {
    const int rest = kKeysOfSplit - path.position(key) % kKeysOfSplit;
    const int count = std::min(rest, path.end() - key);
    softmax.total += exponentials<L>(scores + (key - path.first), count, softmax.largest);
    key += count;
  }
  if (sink != nullptr) {
    float part[16];
    exp(L::broadcast(*sink - softmax.largest)).store(part);
    softmax.total += part[0];
  }
  return softmax;
}

/// Replaces a query's scores by its unnormalised weights, in order of position from the slot
/// `path.first` on.
/// @param cap  as in Attention
/// @return their sum
template <class L>
float weigh_path(const AttentionQuery& query, float cap, float* slot_scores) {
  const KeyPath& path = query.path;
  // Extra slots ascend from `contiguous` on, so that none is overwritten before it is moved.
  for (int i = 0; i < path.num_extra; ++i)
    slot_scores[path.contiguous + i] = slot_scores[path.extra[i]];
  float* scores = slot_scores + path.first;
  const int length = path.length();
  if (cap != 0) cap_scores<L>(cap, length, scores);
  if (query.slope != 0) add_distances(query.slope, length, scores);
  if (query.best_out != nullptr)
    *query.best_out = static_cast<int>(std::max_element(scores, scores + length) - scores);
  const Softmax softmax = softmax_of<L>(path, query.sink, scores);
  if (query.softmax_out != nullptr) *query.softmax_out = softmax;
  return softmax.total;
}

}  // namespace outrider::engine::cpu
