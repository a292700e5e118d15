#pragma once

#include "runtime/base/math.h"
#include "runtime/engine/cuda/ahead_args.h"
#include "runtime/engine/cuda/row_ranking.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

/// Each has a token that may follow.
constexpr int kAheadThreads = AheadReader::kMostFollowing;

/// The sum of the exponentials of a row, as if its largest logit were 0; 1 where they were not summed.
DEVICE double sum_of_row(const FoundLevel& level, int row) {
  if (level.blocks == nullptr) return 1;
  double sum = 0;
  for (int i = 0; i < level.exp_blocks; ++i)
    sum += static_cast<double>(level.blocks[row * level.exp_blocks + i].exp);
  return sum;
}

/// What a token of a row's ranking has of the row.
DEVICE double share_of(const AheadArgs& a, int row, const RankedToken* ranked, int rank) {
  const double temperature = a.before.asked[row].temperature;
  if (temperature <= 0)
    return math::exp(ranked[rank].score - ranked[0].score) / sum_of_row(a.before, row);
  if (!a.has_noise)
    return math::exp(ranked[rank].score) * kUnitsOfBest /
           static_cast<double>(a.before.found[row].units);
  const auto weight = [&](int of) {
    return math::exp(temperature * (ranked[of].value - ranked[0].value));
  };
  double sum = 0;
  for (int i = 0; i < a.before.most_ranked && ranked[i].token != kNoToken; ++i) sum += weight(i);
  return weight(rank) / sum;
}

/// The probability of the path through a token of a row's ranking; kNever where the ranking has no such token.
DEVICE double chance_of(const AheadArgs& a, int row, int rank) {
  const RowFound& found = a.before.found[row];
  if (is_refused(found) || rank >= *a.own_children) return kNever;
  if (a.before.ranked == nullptr) return a.chances[row];
  const RankedToken* ranked = a.before.ranked + row * a.before.most_ranked;
  if (rank >= a.before.most_ranked || ranked[rank].token == kNoToken) return kNever;
  if (a.children == 1) return a.chances[row];
  return a.chances[row] * share_of(a, row, ranked, rank);
}

/// Each block of threads chooses a row of the level and writes a part of its first state; the first part's block says which
/// row it is. Grid: parts of a state, rows. A row that is refused has no token that follows, and its answer is not read: where
/// there are too few, any token will do.
__global__ void __launch_bounds__(kAheadThreads) choose_ahead(AheadArgs a) {
  const int thread = static_cast<int>(threadIdx.x), own = static_cast<int>(blockIdx.y);
  const ScoredToken mine{thread < a.rows * a.children
                             ? chance_of(a, thread / a.children, thread % a.children)
                             : kNever,
                         thread};
  ScoredToken chosen{-kNever, -1};
  for (int rank = 0; rank <= own; ++rank) {
    const bool is_after = ranks_after(mine, chosen);
    chosen = best_of_block(is_after ? mine : ScoredToken{kNever, kNoToken});
  }
  const bool is_there = chosen.score > kNever;
  const int row = is_there ? chosen.token / a.children : 0;
  const int rank = is_there ? chosen.token % a.children : 0;
  if (blockIdx.x == 0) {
    if (thread == 0) {
      a.chosen[own] = {RowAhead::kNone, rank};
      if (is_there) a.chosen[own].parent = row;
      a.chances_out[own] = chosen.score;
    }
    if (a.path != nullptr) {
      int* path = a.path_out + own * a.path_out_stride;
      for (int i = thread; i < a.path_length; i += kAheadThreads)
        path[i] = a.path[row * a.path_stride + i];
      if (thread == 0) path[a.path_length] = a.out[own].slot;
    }
  }
  int token = a.before.ranked == nullptr ? a.before.found[row].likeliest
                                         : a.before.ranked[row * a.before.most_ranked + rank].token;
  if (token < 0 || token >= a.tokens) token = 0;
  const int i = static_cast<int>(blockIdx.x) * kAheadThreads + thread;
  if (i >= a.state_width) return;
  float* state = a.state + static_cast<std::size_t>(own) * a.state_stride;
  state[a.state_at + i] = a.table[static_cast<std::size_t>(token) * a.state_width + i];
  if (a.own != nullptr) state[i] = a.own[static_cast<std::size_t>(row) * a.state_width + i];
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
