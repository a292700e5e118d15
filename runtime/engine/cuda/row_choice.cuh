#pragma once

#include "runtime/base/gumbel_noise.h"
#include "runtime/engine/cuda/candidates.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// Choices of tokens: sampling::TokenChoice, with the same sums in double precision and the same noise.

constexpr int kPartThreads = kRowPart / GumbelNoise::kBlock;

/// What the block that reads this part of a row changes of it, in `ReadArgs::changed`: tokens that may not be chosen get
/// -infinity, which penalties and biases leave as it is.
DEVICE void change_part(const ReadArgs& a, const ReadRow& row, int begin, int end) {
  const float* logits = a.logits + static_cast<std::size_t>(row.row) * a.stride;
  double* changed = a.changed + static_cast<std::size_t>(row.changed) * a.width;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const bool all = row.first_allowed < 0;
  for (int i = begin + thread; i < end; i += threads) {
    const bool may_be = all || (a.allowed[row.first_allowed + i / 32] >> (i % 32) & 1) != 0;
    changed[i] = may_be ? static_cast<double>(logits[i]) : kNever;
  }
  __syncthreads();
  for (int c = thread; c < row.changes; c += threads) {
    const TokenChange& change = a.changes[row.first_change + c];
    if (change.token < begin || change.token >= end) continue;
    double z = changed[change.token];
    z = z > 0 ? z / change.factor : z * change.factor;
    z = z - change.less;
    changed[change.token] = z + change.more;
  }
  __syncthreads();
}

/// The largest logit of each row, after changes, and its lowest id. Grid: parts, rows.
__global__ void __launch_bounds__(kPartThreads, 1) find_largest(ReadArgs a) {
  __shared__ unsigned nans[kPartThreads / 32];
  const int thread = static_cast<int>(threadIdx.x);
  const ReadRow& row = a.rows[blockIdx.y];
  const int begin = static_cast<int>(blockIdx.x) * kRowPart;
  const int end = begin + kRowPart < a.width ? begin + kRowPart : a.width;
  if (row.changed >= 0) change_part(a, row, begin, end);
  const RowLogits logits(a, row);
  ScoredToken best{kNever, kNoToken};
  bool has_nan = false;
  for (int i = begin + thread; i < end; i += kPartThreads) {
    const double z = logits[i];
    has_nan = has_nan || z != z;
    best = better(best, {z, i});
  }
  const unsigned in_warp = __ballot_sync(kWholeWarp, has_nan ? 1 : 0);
  if (thread % 32 == 0) nans[thread / 32] = in_warp;
  best = best_of_block(best);
  unsigned has_nans = 0;
  if (thread == 0)
    for (const unsigned of_warp : nans) has_nans |= of_warp;
  PartFound found;
  if (!finish_part(a, {best, has_nans}, found)) return;
  RowFound& to = a.found[blockIdx.y];
  to.largest = found.best.score;
  to.likeliest = found.best.token;
  to.token = found.best.token;
  to.has_nan = found.has_nan;
}

/// The tokens with the largest score and noise. Grid: parts, rows. A thread has a block of noise.
__global__ void __launch_bounds__(kPartThreads, 1) choose_by_noise(ReadArgs a) {
  __shared__ std::uint32_t upper_halves[GumbelNoise::kBlock][kPartThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const ReadRow& row = a.rows[blockIdx.y];
  RowFound& found = a.found[blockIdx.y];
  if (is_refused(found)) return;
  const GumbelNoise noise(row.seed, row.position);
  const ChoiceScores scores(a, row, found.largest);
  // First, so that its score rejects as many of the others as possible. It ranks where it stands.
  ScoredToken best{noise.value(found.likeliest), found.likeliest};
  const int begin = static_cast<int>(blockIdx.x) * kRowPart + thread * GumbelNoise::kBlock;
  const int end = begin + GumbelNoise::kBlock < a.width ? begin + GumbelNoise::kBlock : a.width;
  double largest = kNever;
  for (int i = begin; i < end; ++i) {
    const double z = scores.logits()[i];
    largest = z > largest ? z : largest;
  }
  if (!(scores.of(largest) + GumbelNoise::kMost < best.score)) {
    const GumbelNoise::UpperHalves halves = noise.upper_halves(begin / GumbelNoise::kBlock);
#pragma unroll
    for (int i = 0; i < GumbelNoise::kBlock; ++i) upper_halves[i][thread] = halves.of[i];
      // A token that a bound on its noise rejects is not the best: rounding is monotone.
#pragma unroll 1
    for (int i = 0; begin + i < end; ++i) {
      const double score = scores[begin + i];
      if (score + GumbelNoise::bound(upper_halves[i][thread]) < best.score) continue;
      best = better(best, {score + noise.value(begin + i), begin + i});
    }
  }
  best = best_of_block(best);
  PartFound of_row;
  if (finish_part(a, {best, 0}, of_row)) found.token = of_row.best.token;
}

/// The same among what filters leave. Grid: rows.
__global__ void __launch_bounds__(kRowThreads, 1) choose_filtered(ReadArgs a) {
  const ReadRow& row = a.rows[blockIdx.x];
  RowFound& found = a.found[blockIdx.x];
  if (is_refused(found)) return;
  const ChoiceScores scores(a, row, found.largest);
  const Candidates candidates(a, row);
  const Boundary kept = filtered(scores, row, candidates, a.width);
  const GumbelNoise noise(row.seed, row.position);
  ScoredToken best{kNever, kNoToken};
  candidates.visit([&](const Candidate& one) {
    if (one.score < row.lowest || !is_within(kept, one.score, one.token)) return;
    const std::uint64_t bits = noise.bits(one.token);
    if (one.score + GumbelNoise::bound(static_cast<std::uint32_t>(bits >> 32)) < best.score) return;
    best = better(best, {one.score + GumbelNoise::from_bits(bits), one.token});
  });
  best = best_of_block(best);
  if (threadIdx.x == 0) found.token = best.token;
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
