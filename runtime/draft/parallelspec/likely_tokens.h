#pragma once

#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/parallelspec/pair_counts.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::draft {

/// What a drafter gives for one depth of a draft.
struct RankedDepth {
  double log_best = 0;                        // logarithm of the largest probability of its slot
  std::vector<sampling::RankedToken> tokens;  // best first, as TokenChoice::rank gives them
};

/// The tokens that are drafted after another one: the best of the short list by value, or with pair counts by rank_after.
/// @param drawn  the best `width`, best first
void draw_from(const PairWeights& pair_weights, const RankedDepth& from, int depth, Token before,
               double temperature, int width, std::vector<sampling::RankedToken>& drawn);

/// A token, and the logarithm of the estimated probability that the target chooses it.
struct LikelyToken {
  Token token;
  double log_probability;

  bool operator==(const LikelyToken&) const = default;
};

/// Estimates which token the target chooses at a depth, given the one before it. With the target's logits z + e, where z
/// are the drafter's logits and errors e are drawn from Gumbel's distribution, the choice argmax z + T g + e with the
/// noise g of its position is distributed as softmax(z + T g): at T = 0 as the drafter's own distribution. Pair counts add
/// to z as in rank_after. Tokens beyond the depth's short list count at T = 0 only.
/// @param pair_weights  nothing added where it does not rank the depth
/// @param likely     the best `width` of the depth's tokens, best first
void rank_likely(const PairWeights& pair_weights, const RankedDepth& from, int depth, Token before,
                 double temperature, int width, std::vector<LikelyToken>& likely);

}  // namespace outrider::draft
