#pragma once

#include <cstdint>
#include <span>

#include "runtime/base/gumbel_noise.h"
#include "runtime/base/token.h"
#include "runtime/sampling/candidates.h"
#include "runtime/sampling/score_view.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::sampling {

/// Scores, the tokens that they belong to, and what is known of the tokens' noise.
struct NoisyScores {
  std::span<const Token> tokens;  // ascending; empty: token i has score i
  ScoreView scores;
  std::size_t likeliest;  // index of the largest score
  GumbelNoise noise;
  std::span<const std::uint8_t> bounds;  // of the noise's blocks, as of NoiseBounds; empty: unknown

  Token token(std::size_t i) const { return tokens.empty() ? static_cast<Token>(i) : tokens[i]; }
};

// The token with the largest score + noise, the lowest id among equals: distributed as softmax of the
// scores.

/// Over candidates, at least one.
Token gumbel_max(std::span<const Candidate> candidates, const GumbelNoise& noise);
Token gumbel_max(const NoisyScores& scores);

// The k tokens with the largest score + noise.

void gumbel_top(std::span<const Candidate> candidates, const GumbelNoise& noise, TopTokens& top);
/// @param least_score  tokens with less are left out, which saves most of the noise
void gumbel_top(const NoisyScores& scores, double least_score, TopTokens& top);

}  // namespace outrider::sampling
