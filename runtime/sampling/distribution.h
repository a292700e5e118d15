#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/gumbel_noise.h"
#include "runtime/base/token.h"

namespace outrider::sampling {

/// The tokens that a choice can give and their probabilities, which sum to 1.
struct Distribution {
  std::vector<Token> tokens;          // ascending
  std::vector<double> probabilities;  // [tokens] above 0

  /// 0 for a token that is not among them.
  double of(Token token) const;

  /// Makes room for so many tokens. What is derived from a distribution has room for as many as that one, so that
  /// later ones of other sizes allocate nothing.
  void reserve(std::size_t room);
};

/// A number in (0, 1) of a position of a sequence; those of different uses, and those of different numbers
/// of one use, are independent.
double uniform(std::uint64_t sequence_seed, std::int64_t position, RandomUse use, int number = 0);

/// The token into whose part of (0, 1) `u` falls, where the parts lie in the order of ids.
Token draw(const Distribution& from, double u);

// Speculative sampling (Leviathan, Kalman, Matias 2023, section 2.3): a token drawn from q is kept with
// probability min(1, p / q), and another is drawn from norm(max(0, p - q)) in place of one that is not.
// What results is distributed as p, and a token is kept with probability sum_v min(p_v, q_v), which is
// 1 less their total variation distance.

/// @param token  with q > 0
double acceptance(const Distribution& p, const Distribution& q, Token token);

/// How often such a token drawn from q is kept: sum_v min(p_v, q_v).
double mean_acceptance(const Distribution& p, const Distribution& q);

/// How often two choices with the same noise, of p and of q, are the same token:
/// sum_v 1 / sum_w max(p_w / p_v, q_w / q_v) (Daliri, Musco, Suresh 2024, on Gumbel sampling).
double coupled_acceptance(const Distribution& p, const Distribution& q);

/// norm(max(0, p - q)); p itself where they are equal, so that nothing is ever drawn from it.
void residual(const Distribution& p, const Distribution& q, Distribution& out);

/// q without a token that was drawn, renormalised: what the next one is drawn from.
/// @param out  may be q; no token where q has no other
void without(const Distribution& q, Token token, Distribution& out);

}  // namespace outrider::sampling
