#pragma once

#include "runtime/engine/cuda/candidates.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// Scores of rows: sampling::RowScorer, with the sums of engine/cpu/lanes/score_row.h.

/// The largest logits of each row. Grid: rows.
__global__ void __launch_bounds__(kRowThreads) keep_best(ReadArgs a) {
  __shared__ int kept;
  const ReadRow& row = a.rows[blockIdx.x];
  RowFound& found = a.found[blockIdx.x];
  if (is_refused(found)) return;
  const RowLogits logits(a, row);
  const Candidates candidates(a, row);
  const auto logit_of = [&](int token) { return logits[token]; };
  const auto below = [&](double logit) { return logit - found.largest; };
  Quarters::count([&](int token) { return below(logits[token]); }, a.width,
                  [](double) { return true; });
  const int last = Quarters::with(a.top);
  candidates.gather(
      logit_of, [&](double logit) { return Quarters::of(below(logit)) <= last; },
      [](double) { return 1; });
  const Boundary boundary = candidates.shortest_run([&](std::int64_t sum) { return sum >= a.top; });
  if (threadIdx.x == 0) {
    kept = 0;
    found.kept = boundary;
  }
  __syncthreads();
  ScoredToken* best = a.best + static_cast<std::size_t>(blockIdx.x) * a.top;
  candidates.visit([&](const Candidate& one) {
    if (is_within(boundary, one.score, one.token))
      best[atomicAdd(&kept, 1)] = {one.score, one.token};
  });
}

constexpr int kExpThreads = 128;
constexpr int kExpBlocks = kExpThreads / 16;  // of a block of threads

/// Sums of the exponentials, of all or of the others. Grid: groups of kExpBlocks blocks of a row, rows.
__global__ void __launch_bounds__(kExpThreads) add_exponentials(ReadArgs a, int blocks) {
  constexpr float kLowest = -87.0f;
  const ReadRow& row = a.rows[blockIdx.y];
  const RowFound& found = a.found[blockIdx.y];
  if (is_refused(found)) return;
  const int block = static_cast<int>(blockIdx.x) * kExpBlocks + static_cast<int>(threadIdx.x) / 16;
  const int lane = static_cast<int>(threadIdx.x) % 16;
  const int begin = block * kExpBlock;
  const int end = begin + kExpBlock < a.width ? begin + kExpBlock : a.width;
  const float* logits = a.logits + static_cast<std::size_t>(row.row) * a.stride;
  const auto largest = static_cast<float>(found.largest);
  float exp_sum = 0, times_sum = 0;
  // Whole groups of sixteen: what is missing counts as the lowest.
  for (int first = begin; first < end; first += 16) {
    const int i = first + lane;
    float below = kLowest;
    if (i < end && (!a.leaves_best || !is_within(found.kept, static_cast<double>(logits[i]), i)))
      below = larger(kLowest, logits[i] - largest);
    const float e = exp_of(below);
    exp_sum = exp_sum + e;
    times_sum = __fmaf_rn(e, below, times_sum);
  }
  exp_sum = sum_of_sixteen(exp_sum);
  times_sum = sum_of_sixteen(times_sum);
  if (lane == 0 && block < blocks)
    a.blocks[static_cast<std::size_t>(blockIdx.y) * blocks + block] = {exp_sum, times_sum};
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
