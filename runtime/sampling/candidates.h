#pragma once

#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::sampling {

/// A token that may still be chosen.
struct Candidate {
  Token token;
  double score;  // (z - z of the best token) / T, at most 0
};

/// Ranks by score; by id among equals, the lowest first.
inline bool ranks_before(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.token < b.token;
}

// All take the scores of the vocabulary, of which the best is 0. Tokens with a score of -infinity
// are never candidates. They make room for as many candidates as there can be, so that a second call
// allocates nothing.

/// The tokens with at least this score, in order of id.
void at_least(std::span<const double> scores, double lowest, std::vector<Candidate>& candidates);

/// The k tokens that rank first, in no particular order; k at least 1.
void best(std::span<const double> scores, int k, std::vector<Candidate>& candidates);

}  // namespace outrider::sampling
