#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/lanes/exp.h"
#include "runtime/engine/cpu/lanes/unrolled.h"

namespace outrider::engine::cpu {

template <class L, typename Kv>
void store_kv(const float* key, const float* value, int head_width, int slot, Kv* keys,
              Kv* values) {
  // Sixteen numbers at a time, so that rounding is that of the lanes.
  Kv* column = keys + static_cast<std::ptrdiff_t>(slot / 16) * head_width * 16 + slot % 16;
  Kv* row = values + static_cast<std::ptrdiff_t>(slot) * head_width;
  for (int d = 0; d < head_width; d += 16) {
    Kv rounded[16];
    L::load(key + d).store(rounded);
    for (int i = 0; i < 16; ++i) column[(d + i) * 16] = rounded[i];
    L::load(value + d).store(row + d);
  }
}

/// Prefetches `bytes` bytes from `p` on. Never faults, whatever the address.
inline void prefetch(const void* p, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 64)
    __builtin_prefetch(static_cast<const std::uint8_t*>(p) + i);
}

/// Scores of B blocks of sixteen slots for H query heads, which share the loads of the keys. Each
/// slot's score is one chain over the head's width, so it depends on the query and on that slot's
/// key only, whichever slot holds it. The values of the slots are prefetched at the same time.
template <class L, typename Kv, int H, int B>
void score_blocks(const Attention<Kv>& a, int first_head, int block) {
  L sums[H * B];
  unrolled<H * B>([&](int i) OUTRIDER_INLINE { sums[i] = L::zero(); });
  const float* query = a.query + static_cast<std::ptrdiff_t>(first_head) * a.head_width;
  const Kv* keys = a.keys + static_cast<std::ptrdiff_t>(block) * a.head_width * 16;
  constexpr std::size_t kPart = B * 16 * sizeof(Kv);  // of the values, for each step
  const Kv* values = a.values + static_cast<std::ptrdiff_t>(block) * 16 * a.head_width;
  for (int d = 0; d < a.head_width; ++d) {
    prefetch(values + static_cast<std::ptrdiff_t>(d) * B * 16, kPart);
    L q[H];
    unrolled<H>([&](int h) OUTRIDER_INLINE { q[h] = L::broadcast(query[h * a.head_width + d]); });
    unrolled<B>([&](int b) OUTRIDER_INLINE {
      const L key = L::load(keys + (static_cast<std::ptrdiff_t>(b) * a.head_width + d) * 16);
      unrolled<H>([&](int h)
                      OUTRIDER_INLINE { sums[h * B + b] = L::fma(key, q[h], sums[h * B + b]); });
    });
  }
  unrolled<H * B>(
      [&](int i) OUTRIDER_INLINE { sums[i].store(a.slot_scores(i / B) + (block + i % B) * 16); });
}

/// Scores of the slots [first_block * 16, last_block * 16).
template <class L, typename Kv, int H>
void score_slots(const Attention<Kv>& a, int first_head, int first_block, int last_block) {
  constexpr int kBlocks = std::max(1, L::kSums / H);
  int block = first_block;
  for (; block + kBlocks <= last_block; block += kBlocks)
    score_blocks<L, Kv, H, kBlocks>(a, first_head, block);
  for (; block < last_block; ++block) score_blocks<L, Kv, H, 1>(a, first_head, block);
}

/// Adds slope * (position - last) to [n] scores of the positions up to `last`, the row's position.
template <class L>
void add_distances(float slope, int n, float* scores) {
  for (int i = 0; i < n; ++i) scores[i] += slope * static_cast<float>(i - (n - 1));
}

/// Replaces [n] scores by exp(score - largest) and sums them; key i adds into lane i mod 16.
template <class L>
Softmax exponentials(float* scores, int n) {
  const int padded = (n + 15) / 16 * 16;
  std::fill(scores + n, scores + padded, -std::numeric_limits<float>::infinity());
  L most = L::load(scores);
  for (int i = 16; i < padded; i += 16) most = L::max(most, L::load(scores + i));
  const float largest = most.largest();
  L total = L::zero();
  for (int i = 0; i < padded; i += 16) {
    L e = exp(L::load(scores + i) - L::broadcast(largest));
    if (i + 16 > n) {  // lanes after the last key are padding
      float part[16];
      e.store(part);
      std::fill(part + (n - i), part + 16, 0.0f);
      e = L::load(part);
    }
    e.store(scores + i);
    total = total + e;
  }
  return {largest, total.sum()};
}

/// out = sum over the keys of weight * value, one chain per number, positions ascending; then
/// divided by the sum of the weights. For H heads, W * 16 numbers of each at a time.
template <class L, typename Kv, int H, int W>
void weighted_values(const Attention<Kv>& a, int first_head, const float* const* weights,
                     const float* totals, int first) {
  L sums[H * W];
  unrolled<H * W>([&](int i) OUTRIDER_INLINE { sums[i] = L::zero(); });
  const auto add = [&](int slot, int key) OUTRIDER_INLINE {
    const Kv* row = a.values + static_cast<std::ptrdiff_t>(slot) * a.head_width + first;
    L weight[H];
    unrolled<H>([&](int h) OUTRIDER_INLINE { weight[h] = L::broadcast(weights[h][key]); });
    unrolled<W>([&](int i) OUTRIDER_INLINE {
      const L value = L::load(row + i * 16);
      unrolled<H>([&](int h) OUTRIDER_INLINE {
        sums[h * W + i] = L::fma(value, weight[h], sums[h * W + i]);
      });
    });
  };
  const std::size_t row_bytes = static_cast<std::size_t>(a.head_width) * sizeof(Kv);
  for (int slot = a.first; slot < a.contiguous; ++slot) {
    if (first == 0)
      prefetch(a.next_keys + static_cast<std::ptrdiff_t>(slot) * a.head_width, row_bytes);
    add(slot, slot - a.first);
  }
  for (int i = 0; i < a.num_extra; ++i) add(a.extra[i], a.contiguous - a.first + i);
  unrolled<H * W>([&](int i) OUTRIDER_INLINE {
    const int h = i / W;
    float* out = a.out + static_cast<std::ptrdiff_t>(first_head + h) * a.head_width + first;
    (sums[i] / L::broadcast(totals[h])).store(out + i % W * 16);
  });
}

/// Attention of the heads [first_head, first_head + H).
template <class L, typename Kv, int H>
void attend_heads(const Attention<Kv>& a, int first_head) {
  const int length = a.length();
  const int contiguous_blocks = (a.contiguous + 15) / 16;
  score_slots<L, Kv, H>(a, first_head, a.first / 16, contiguous_blocks);
  if (a.num_extra > 0) {
    const int first = std::max(contiguous_blocks, a.extra[0] / 16);
    score_slots<L, Kv, H>(a, first_head, first, a.extra[a.num_extra - 1] / 16 + 1);
  }
  const float* weights[H];
  float totals[H];
  for (int h = 0; h < H; ++h) {
    float* scores = a.slot_scores(h) + a.first;
    if (a.num_extra > 0) {  // from slot order to key order
      const int before = a.contiguous - a.first;
      scores = a.path_scores(h);
      std::copy_n(a.slot_scores(h) + a.first, before, scores);
      for (int i = 0; i < a.num_extra; ++i) scores[before + i] = a.slot_scores(h)[a.extra[i]];
    }
    if (a.slopes != nullptr) add_distances<L>(a.slopes[first_head + h], length, scores);
    if (a.best_out != nullptr)
      a.best_out[first_head + h] =
          static_cast<int>(std::max_element(scores, scores + length) - scores);
    const Softmax softmax = exponentials<L>(scores, length);
    if (a.softmax_out != nullptr) a.softmax_out[first_head + h] = softmax;
    weights[h] = scores;
    totals[h] = softmax.total;
  }
  constexpr int kWide = L::kSums / H >= 4 ? 4 : 2;
  int first = 0;
  for (; first + 16 * kWide <= a.head_width; first += 16 * kWide)
    weighted_values<L, Kv, H, kWide>(a, first_head, weights, totals, first);
  for (; first < a.head_width; first += 16)
    weighted_values<L, Kv, H, 1>(a, first_head, weights, totals, first);
}

template <class L, typename Kv>
void attend(const Attention<Kv>& a) {
  int head = 0;
  for (; head + 3 <= a.heads; head += 3) attend_heads<L, Kv, 3>(a, head);
  for (; head + 2 <= a.heads; head += 2) attend_heads<L, Kv, 2>(a, head);
  for (; head < a.heads; ++head) attend_heads<L, Kv, 1>(a, head);
}

}  // namespace outrider::engine::cpu
