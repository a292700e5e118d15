#pragma once

#include "runtime/engine/cuda/row_choice.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// Rankings of tokens: sampling::TokenChoice::rank, with the same values in double precision and the same noise.

/// Whether one ranks after another.
DEVICE bool ranks_after(const ScoredToken& one, const ScoredToken& other) {
  return one.score < other.score || (one.score == other.score && one.token > other.token);
}

/// Calls take(rank, token) in thread 0 for the best tokens of a block's threads, best first; for ranks without a token with
/// kNoToken. All threads take part.
/// @param best_after  (token) -> the best of the thread's own tokens that rank after it
template <class BestAfter, class Take>
DEVICE void rank_in_block(int most, const BestAfter& best_after, const Take& take) {
  ScoredToken last{-kNever, -1};
  ScoredToken mine = best_after(last), of_warp = best_of_warp(mine);
  for (int rank = 0; rank < most; ++rank) {
    if (last.score > kNever) {
      last = best_of_warps(of_warp);
      if (last.token == of_warp.token) {  // the other warps have what they had
        if (last.token == mine.token) mine = best_after(last);
        of_warp = best_of_warp(mine);
      }
    }
    if (threadIdx.x == 0) take(rank, last.score > kNever ? last : ScoredToken{kNever, kNoToken});
  }
}

DEVICE int noise_token(const ReadArgs& a, int i) { return a.tokens == nullptr ? i : a.tokens[i]; }

/// Notes a token of a row's ranking.
DEVICE void note_rank(const ReadArgs& a, const ReadRow& row, const ChoiceScores& scores, int rank,
                      const ScoredToken& one) {
  RankedToken& to = a.ranked[static_cast<std::size_t>(blockIdx.x) * a.most_ranked + rank];
  to.token = one.token;
  if (one.token == kNoToken) return;
  to.value = one.score;
  to.score = row.temperature == 0 ? one.score : scores[one.token];
  to.logit = a.logits[static_cast<std::size_t>(row.row) * a.stride + one.token];
}

/// The best of each part of rows without filters. Grid: parts, rows. A thread has the tokens of a block of noise where
/// token v is logit v.
__global__ void __launch_bounds__(kPartThreads, 1) rank_parts(ReadArgs a) {
  constexpr int kOwn = GumbelNoise::kBlock;
  __shared__ double values[kRowPart];  // [kOwn, threads]
  const int thread = static_cast<int>(threadIdx.x);
  const ReadRow& row = a.rows[blockIdx.y];
  const RowFound& found = a.found[blockIdx.y];
  if (is_refused(found)) return;
  const ChoiceScores scores(a, row, found.largest);
  const GumbelNoise noise(row.seed, row.position);
  const int begin = static_cast<int>(blockIdx.x) * kRowPart + thread * kOwn;
  // With the best token's noise known, a bound on that of others rejects most of them.
  const double least = row.ranked == 1 && row.temperature > 0
                           ? noise.value(noise_token(a, found.likeliest))
                           : kNever;
  std::int64_t units = 0;
#pragma unroll 1
  for (int own = 0; own < kOwn; ++own) {
    const int i = begin + own;
    double value = kNever;
    if (i < a.width) {
      const double z = scores.logits()[i];
      if (row.temperature == 0) {
        value = z;
      } else {
        const double score = scores.of(z);
        units += units_of(score);
        const int token = noise_token(a, i);
        if (score >= -row.reach && score > kNever &&
            !(score + GumbelNoise::bound(noise.upper_half(token)) < least))
          value = score + noise.value(token);
      }
    }
    values[own * kPartThreads + thread] = value;
  }
  units = sum_of_block(units);
  const auto best_after = [&](const ScoredToken& last) {
    ScoredToken best{kNever, kNoToken};
    for (int own = 0; own < kOwn; ++own) {
      const ScoredToken one{values[own * kPartThreads + thread], begin + own};
      if (ranks_after(one, last)) best = better(best, one);
    }
    return best;
  };
  const std::size_t part = static_cast<std::size_t>(blockIdx.y) * gridDim.x + blockIdx.x;
  if (thread == 0) a.parts[part].units = units;
  rank_in_block(row.ranked, best_after, [&](int rank, const ScoredToken& one) {
    a.part_ranks[part * a.most_ranked + rank] = one;
  });
}

/// The best of rows whose parts were ranked. Grid: rows.
__global__ void __launch_bounds__(kPartThreads) merge_ranks(ReadArgs a) {
  const ReadRow& row = a.rows[blockIdx.x];
  RowFound& found = a.found[blockIdx.x];
  if (is_refused(found)) return;
  const ChoiceScores scores(a, row, found.largest);
  const int parts = parts_of(a.width);
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * parts;
  const auto best_after = [&](const ScoredToken& last) {
    ScoredToken best{kNever, kNoToken};
    for (int i = static_cast<int>(threadIdx.x); i < parts * row.ranked; i += kPartThreads) {
      const std::size_t part = first + i / row.ranked;
      const ScoredToken one = a.part_ranks[part * a.most_ranked + i % row.ranked];
      if (ranks_after(one, last)) best = better(best, one);
    }
    return best;
  };
  rank_in_block(row.ranked, best_after,
                [&](int rank, const ScoredToken& one) { note_rank(a, row, scores, rank, one); });
  if (threadIdx.x != 0) return;
  found.units = 0;
  for (int part = 0; part < parts; ++part) found.units += a.parts[first + part].units;
}

/// The best of what filters leave, and what it counts for. Grid: rows.
__global__ void __launch_bounds__(kRowThreads, 1) rank_filtered(ReadArgs a) {
  const ReadRow& row = a.rows[blockIdx.x];
  RowFound& found = a.found[blockIdx.x];
  if (is_refused(found)) return;
  const ChoiceScores scores(a, row, found.largest);
  const Candidates candidates(a, row);
  const Boundary kept = filtered(scores, row, candidates, a.width);
  const GumbelNoise noise(row.seed, row.position);
  std::int64_t units = 0;
  candidates.visit([&](Candidate& one) {
    double value = kNever;
    if (one.score >= row.lowest && is_within(kept, one.score, one.token)) {
      units += units_of(one.score);
      value = one.score + noise.value(noise_token(a, one.token));
    }
    one.score = value;
  });
  units = sum_of_block(units);
  const auto best_after = [&](const ScoredToken& last) {
    ScoredToken best{kNever, kNoToken};
    candidates.visit([&](const Candidate& candidate) {
      const ScoredToken one{candidate.score, candidate.token};
      if (ranks_after(one, last)) best = better(best, one);
    });
    return best;
  };
  rank_in_block(row.ranked, best_after,
                [&](int rank, const ScoredToken& one) { note_rank(a, row, scores, rank, one); });
  if (threadIdx.x == 0) found.units = units;
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
