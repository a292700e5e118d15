#pragma once

#include <limits>

#include "runtime/engine/cpu/lanes/exp.h"
#include "runtime/engine/score_kernels.h"

namespace outrider::engine::cpu {

// Element i goes into lane i mod 16, the lanes are added in one fixed tree, and the sums of blocks
// are added in order, so that the bits do not depend on the instruction set.

/// Loads the last n < 16 numbers of a row; the remaining lanes get `filler`.
template <class L>
L load_last(const float* numbers, int n, float filler) {
  float padded[16];
  for (int i = 0; i < 16; ++i) padded[i] = i < n ? numbers[i] : filler;
  return L::load(padded);
}

template <class L>
void group_maxima(const float* logits, int n, float* maxima) {
  for (int begin = 0; begin < n; begin += ScoreKernels::kGroup) {
    const int end = n - begin < ScoreKernels::kGroup ? n : begin + ScoreKernels::kGroup;
    L most = L::broadcast(logits[begin]);
    int i = begin;
    for (; i + 16 <= end; i += 16) most = L::max(most, L::load(logits + i));
    if (i < end) most = L::max(most, load_last<L>(logits + i, end - i, logits[begin]));
    *maxima++ = most.largest();
  }
}

template <class L>
ExpSums exp_sums(const float* logits, int n, float largest, const Token* left_out,
                 int num_left_out) {
  // Floats per lane that are summed before they are added to a double: the error stays below 1e-6.
  constexpr int kBlock = 64 * 16;
  constexpr float kLowest = -87.0f;
  ExpSums sums;
  float rest[kBlock];
  const Token* const none_left = left_out + num_left_out;
  for (int begin = 0; begin < n; begin += kBlock) {
    const int end = n - begin < kBlock ? n : begin + kBlock;
    L exp_sum = L::zero();
    L times_sum = L::zero();
    const auto take = [&](L z) {
      // This operand order propagates NaN.
      const L x = L::max(L::broadcast(kLowest), z - L::broadcast(largest));
      const L e = cpu::exp(x);
      exp_sum = exp_sum + e;
      times_sum = L::fma(e, x, times_sum);
    };
    const float* block = logits + begin;
    if (left_out != none_left && *left_out < end) {
      for (int i = begin; i < end; ++i) rest[i - begin] = logits[i];
      for (; left_out != none_left && *left_out < end; ++left_out)
        rest[*left_out - begin] = -std::numeric_limits<float>::infinity();
      block = rest;
    }
    const int size = end - begin;
    int i = 0;
    for (; i + 16 <= size; i += 16) take(L::load(block + i));
    if (i < size) take(load_last<L>(block + i, size - i, largest + 2 * kLowest));
    sums.exp += static_cast<double>(exp_sum.sum());
    sums.exp_times += static_cast<double>(times_sum.sum());
  }
  return sums;
}

}  // namespace outrider::engine::cpu
