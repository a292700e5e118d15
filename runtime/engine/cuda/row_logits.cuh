#pragma once

#include <cstdint>
#include <limits>

#include "runtime/engine/cuda/numbers.cuh"
#include "runtime/engine/cuda/row_args.h"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// What kernels that read rows of logits have in common. All is in double precision, as on the processor (sampling/), whose
// tokens these are.

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr int kNoToken = std::numeric_limits<int>::max();

/// The one that ranks first: the larger score, the lower id among equals.
DEVICE ScoredToken better(const ScoredToken& a, const ScoredToken& b) {
  return b.score > a.score || (b.score == a.score && b.token < a.token) ? b : a;
}

/// The best of a warp, which all its threads get.
DEVICE ScoredToken best_of_warp(ScoredToken mine) {
  for (int bits = 16; bits > 0; bits /= 2) {
    mine = better(mine, {__shfl_xor_sync(kWholeWarp, mine.score, bits),
                         __shfl_xor_sync(kWholeWarp, mine.token, bits)});
  }
  return mine;
}

/// The best of what the warps of a block of up to 1,024 threads have. All threads take part, and all get it.
DEVICE ScoredToken best_of_warps(const ScoredToken& of_warp) {
  __shared__ ScoredToken of_warps[32];
  const int thread = static_cast<int>(threadIdx.x), warps = static_cast<int>(blockDim.x) / 32;
  __syncthreads();  // what was found before has been read
  if (thread % 32 == 0) of_warps[thread / 32] = of_warp;
  __syncthreads();
  ScoredToken best = of_warps[0];
  for (int w = 1; w < warps; ++w) best = better(best, of_warps[w]);
  return best;
}

/// The best of a block, likewise.
DEVICE ScoredToken best_of_block(const ScoredToken& mine) {
  return best_of_warps(best_of_warp(mine));
}

/// The sum over a block, likewise, of numbers of 64 bits.
template <typename Number>
DEVICE Number sum_of_block(Number mine) {
  __shared__ Number of_warps[32];
  for (int bits = 16; bits > 0; bits /= 2) mine += __shfl_xor_sync(kWholeWarp, mine, bits);
  const int thread = static_cast<int>(threadIdx.x), warps = static_cast<int>(blockDim.x) / 32;
  __syncthreads();
  if (thread % 32 == 0) of_warps[thread / 32] = mine;
  __syncthreads();
  Number sum = 0;
  for (int w = 0; w < warps; ++w) sum += of_warps[w];
  return sum;
}

/// One row as it is read.
class RowLogits {
 public:
  DEVICE RowLogits(const ReadArgs& a, const ReadRow& row)
      : logits_(a.logits + static_cast<std::size_t>(row.row) * a.stride),
        changed_(row.changed < 0 ? nullptr
                                 : a.changed + static_cast<std::size_t>(row.changed) * a.width) {}

  DEVICE double operator[](int token) const {
    return changed_ != nullptr ? changed_[token] : static_cast<double>(logits_[token]);
  }

 private:
  const float* logits_;
  const double* changed_;
};

/// Its scores, (z - z of the best token) / T.
class ChoiceScores {
 public:
  DEVICE ChoiceScores(const ReadArgs& a, const ReadRow& row, double largest)
      : logits_(a, row), largest_(largest), temperature_(row.temperature) {}

  DEVICE const RowLogits& logits() const { return logits_; }
  DEVICE double of(double logit) const {
    const double below = logit - largest_;
    return temperature_ == 1 ? below : below / temperature_;
  }
  DEVICE double operator[](int token) const { return of(logits_[token]); }

 private:
  RowLogits logits_;
  double largest_;
  double temperature_;
};

/// Whether the processor refuses the row.
DEVICE bool is_refused(const RowFound& found) {
  return found.has_nan != 0 || !(found.largest - found.largest == 0);
}

/// Notes the best token of a part of a row. The block that comes last has the best of the row: its thread 0 gets it, and
/// true.
DEVICE bool finish_part(const ReadArgs& a, const PartFound& mine, PartFound& of_row) {
  const unsigned row = blockIdx.y;
  PartFound* parts = a.parts + row * gridDim.x;
  if (threadIdx.x != 0) return false;
  parts[blockIdx.x] = mine;
  if (add_release(a.finished + row, 1) + 1 < gridDim.x) return false;
  a.finished[row] = 0;
  of_row = parts[0];
  for (unsigned part = 1; part < gridDim.x; ++part) {
    of_row.best = better(of_row.best, parts[part].best);
    of_row.has_nan |= parts[part].has_nan;
  }
  return true;
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
