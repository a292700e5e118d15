#pragma once

#include <algorithm>

#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/lanes/exp.h"
#include "runtime/engine/cpu/lanes/kv_numbers.h"
#include "runtime/engine/cpu/lanes/row_ops.h"
#include "runtime/engine/cpu/lanes/unrolled.h"

namespace outrider::engine::cpu {

/// Scores of B blocks of sixteen slots at any addresses: [B, 16]. The same sums as score_blocks, so
/// the same bits.
template <class L, int B, typename Kv>
void score_apart(const KeyWeights<Kv>& a, const int* blocks, float* scores) {
  const KvLayout<Kv> layout{a.head_width};
  using Keys = SixteenKeys<L, Kv>;
  L sums[B];
  const Kv* keys[B];
  unrolled<B>([&](int b) OUTRIDER_INLINE {
    sums[b] = L::zero();
    keys[b] = a.keys + layout.sixteen_keys(blocks[b]);
  });
  for (int d = 0; d < a.head_width;) {
    typename Keys::Scale scales[B];
    unrolled<B>([&](int b) OUTRIDER_INLINE { scales[b] = Keys::scale(keys[b], a.head_width, d); });
    for (const int end = Keys::end(d, a.head_width); d < end; ++d) {
      const L query = L::broadcast(a.query[d]);
      unrolled<B>([&](int b) OUTRIDER_INLINE {
        sums[b] = L::fma(Keys::read(keys[b], d, scales[b]), query, sums[b]);
      });
    }
  }
  unrolled<B>([&](int b) OUTRIDER_INLINE { sums[b].store(scores + b * 16); });
}

/// Scores of the requested slots.
template <class L, typename Kv>
void score_chosen(const KeyWeights<Kv>& a) {
  constexpr int kBlocks = 4;  // independent chains of sums
  for (int done = 0; done < a.count;) {
    int blocks[kBlocks] = {};  // the blocks that hold the next slots
    int found = 0;
    int end = done;
    for (; end < a.count; ++end) {
      const int block = a.slots[end] / 16;
      if (found > 0 && block == blocks[found - 1]) continue;
      if (found == kBlocks) break;
      blocks[found++] = block;
    }
    std::fill(blocks + found, blocks + kBlocks, blocks[0]);
    float scores[kBlocks * 16];
    score_apart<L, kBlocks>(a, blocks, scores);
    if (a.cap != 0) soft_cap<L>(scores, kBlocks * 16, a.cap);
    for (int b = 0; done < end; ++done) {
      const int slot = a.slots[done];
      if (slot / 16 != blocks[b]) ++b;
      a.out[done] = scores[b * 16 + slot % 16] + a.slope * static_cast<float>(slot - a.position);
    }
  }
}

/// The attention weights that `attend` computed from the same scores.
template <class L, typename Kv>
void weigh_keys(const KeyWeights<Kv>& a) {
  score_chosen<L>(a);
  for (int i = 0; i < a.count; i += 16) {
    const int count = std::min(16, a.count - i);
    float part[16] = {};
    std::copy_n(a.out + i, count, part);
    const L weights = exp(L::load(part) - L::broadcast(a.softmax.largest));
    (weights / L::broadcast(a.softmax.total)).store(part);
    std::copy_n(part, count, a.out + i);
  }
}

}  // namespace outrider::engine::cpu
