#pragma once

#include <algorithm>
#include <limits>

#include "runtime/engine/kernels.h"
#include "runtime/engine/lanes/exp.h"

namespace outrider::engine {

template <class L, typename Kv>
void store_kv(const float* key, const float* value, int head_width, int slot, Kv* keys,
              Kv* values) {
  // Sixteen numbers at a time, so that rounding is the lanes' own.
  Kv* column = keys + static_cast<std::ptrdiff_t>(slot / 16) * head_width * 16 + slot % 16;
  Kv* row = values + static_cast<std::ptrdiff_t>(slot) * head_width;
  for (int d = 0; d < head_width; d += 16) {
    Kv rounded[16];
    L::load(key + d).store(rounded);
    for (int i = 0; i < 16; ++i) column[(d + i) * 16] = rounded[i];
    L::load(value + d).store(row + d);
  }
}

/// Scores of B blocks of sixteen slots. Each slot's score is one chain over the head's width, so it
/// depends on the query and that slot's key only, wherever the slot lies.
template <class L, typename Kv, int B>
void score_blocks(const float* query, int head_width, const Kv* keys, float* scores) {
  L sums[B];
  for (L& sum : sums) sum = L::zero();
  for (int d = 0; d < head_width; ++d) {
    const L q = L::broadcast(query[d]);
    for (int b = 0; b < B; ++b)
      sums[b] = L::fma(L::load(keys + (static_cast<std::ptrdiff_t>(b) * head_width + d) * 16), q,
                       sums[b]);
  }
  for (int b = 0; b < B; ++b) sums[b].store(scores + b * 16);
}

/// Scores of the slots [first_block * 16, last_block * 16).
template <class L, typename Kv>
void score_slots(const Attention<Kv>& a, const float* query, int first_block, int last_block,
                 float* scores) {
  const auto keys_of = [&](int block) {
    return a.keys + static_cast<std::ptrdiff_t>(block) * a.head_width * 16;
  };
  int block = first_block;
  for (; block + 4 <= last_block; block += 4)
    score_blocks<L, Kv, 4>(query, a.head_width, keys_of(block), scores + block * 16);
  for (; block < last_block; ++block)
    score_blocks<L, Kv, 1>(query, a.head_width, keys_of(block), scores + block * 16);
}

/// Turns [n] scores into exp(score - largest) in place and returns their sum; logical position i
/// adds into lane i mod 16.
template <class L>
float exponentials(float* scores, int n) {
  const int padded = (n + 15) / 16 * 16;
  std::fill(scores + n, scores + padded, -std::numeric_limits<float>::infinity());
  L most = L::load(scores);
  for (int i = 16; i < padded; i += 16) most = L::max(most, L::load(scores + i));
  const L largest = L::broadcast(most.largest());
  L total = L::zero();
  for (int i = 0; i < padded; i += 16) {
    L e = exp(L::load(scores + i) - largest);
    if (i + 16 > n) {  // what pads the last sixteen is no key
      float part[16];
      e.store(part);
      std::fill(part + (n - i), part + 16, 0.0f);
      e = L::load(part);
    }
    e.store(scores + i);
    total = total + e;
  }
  return total.sum();
}

/// out = sum over the path of weight * value, one chain per number, positions ascending; then
/// divided by `total`. W: width / 16 lanes kept in registers at a time.
template <class L, typename Kv, int W>
void weighted_values(const Attention<Kv>& a, const float* weights, float total, int first,
                     float* out) {
  L sums[W];
  for (L& sum : sums) sum = L::zero();
  const auto add = [&](int slot, float weight) {
    const L w = L::broadcast(weight);
    const Kv* row = a.values + static_cast<std::ptrdiff_t>(slot) * a.head_width + first;
    for (int i = 0; i < W; ++i) sums[i] = L::fma(L::load(row + i * 16), w, sums[i]);
  };
  for (int slot = 0; slot < a.contiguous; ++slot) add(slot, weights[slot]);
  for (int i = 0; i < a.num_extra; ++i) add(a.extra[i], weights[a.contiguous + i]);
  const L divisor = L::broadcast(total);
  for (int i = 0; i < W; ++i) (sums[i] / divisor).store(out + first + i * 16);
}

template <class L, typename Kv>
void attend(const Attention<Kv>& a) {
  const int length = a.contiguous + a.num_extra;
  float* slots = a.scratch;                    // scores by slot
  float* path = a.scratch + a.scratch_stride;  // scores, then weights, by logical position
  const int contiguous_blocks = (a.contiguous + 15) / 16;
  for (int head = 0; head < a.heads; ++head) {
    const float* query = a.query + static_cast<std::ptrdiff_t>(head) * a.head_width;
    float* out = a.out + static_cast<std::ptrdiff_t>(head) * a.head_width;
    float* scores = slots;
    score_slots<L>(a, query, 0, contiguous_blocks, slots);
    if (a.num_extra > 0) {
      const int first = std::max(contiguous_blocks, a.extra[0] / 16);
      score_slots<L>(a, query, first, a.extra[a.num_extra - 1] / 16 + 1, slots);
      std::copy(slots, slots + a.contiguous, path);
      for (int i = 0; i < a.num_extra; ++i) path[a.contiguous + i] = slots[a.extra[i]];
      scores = path;
    }
    if (a.best_out != nullptr)
      a.best_out[head] = static_cast<int>(std::max_element(scores, scores + length) - scores);
    const float total = exponentials<L>(scores, length);
    int first = 0;
    for (; first + 64 <= a.head_width; first += 64)
      weighted_values<L, Kv, 4>(a, scores, total, first, out);
    for (; first < a.head_width; first += 16)
      weighted_values<L, Kv, 1>(a, scores, total, first, out);
    if (a.weights_out != nullptr && a.weights_out[head] != nullptr)
      for (int i = 0; i < length; ++i) a.weights_out[head][i] = scores[i] / total;
  }
}

}  // namespace outrider::engine
