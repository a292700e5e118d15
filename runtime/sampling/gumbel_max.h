#pragma once

#include <span>

#include "runtime/base/token.h"
#include "runtime/sampling/candidates.h"
#include "runtime/sampling/gumbel_noise.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::sampling {

// The token with the largest score + noise, the lowest id among equals: distributed as softmax of the
// scores.

/// Over candidates, at least one.
Token gumbel_max(std::span<const Candidate> candidates, const GumbelNoise& noise);

/// Over the whole vocabulary.
/// @param likeliest  the token with the largest score
Token gumbel_max(std::span<const double> scores, Token likeliest, const GumbelNoise& noise);

/// Over a subset of the vocabulary.
/// @param tokens     ascending
/// @param scores     [tokens]
/// @param likeliest  index of the largest score
Token gumbel_max(std::span<const Token> tokens, std::span<const double> scores,
                 std::size_t likeliest, const GumbelNoise& noise);

// The k tokens with the largest score + noise.

void gumbel_top(std::span<const Candidate> candidates, const GumbelNoise& noise, TopTokens& top);

/// @param tokens       ascending; empty: token i has score i
/// @param scores       [tokens]
/// @param least_score  tokens with less may be left out, which saves most of the noise
void gumbel_top(std::span<const Token> tokens, std::span<const double> scores,
                std::size_t likeliest, double least_score, const GumbelNoise& noise,
                TopTokens& top);

}  // namespace outrider::sampling
