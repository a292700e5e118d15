#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::draft {

/// How often tokens followed each other in a target's answers. The depths of a parallel draft are computed without
/// knowing each other's tokens: depth d gives p(x_d | text). With the token before it, b, and independence of the
/// rest, p(x | text, b) is proportional to p(x | text) p(x | b) / p(x); the logarithm of the last ratio is the gain.
class PairCounts {
 public:
  struct Pair {
    Token before;
    Token token;
    std::int32_t count;
  };
  /// @param occurrences  [vocabulary] of each token in the answers
  /// @param pairs        ascending by both tokens, none twice, counts from 1 on; rare ones may be left out
  PairCounts(std::vector<std::int32_t> occurrences, const std::vector<Pair>& pairs);

  /// log p(token | before) - log p(token), where p(. | before) has the weight of kPrior pairs of p(.).
  float gain(Token before, Token token) const;

  int vocab() const { return static_cast<int>(others_.size()); }
  std::size_t size() const { return tokens_.size(); }
  /// Memory that it takes.
  std::size_t bytes() const {
    return occurrences_.size() * sizeof(std::int32_t) + first_.size() * sizeof(std::size_t) +
           tokens_.size() * (sizeof(Token) + sizeof(std::int32_t) + sizeof(float)) +
           others_.size() * sizeof(float);
  }
  std::vector<Pair> pairs() const;
  const std::vector<std::int32_t>& occurrences() const { return occurrences_; }

 private:
  static constexpr double kPrior = 10;

  std::vector<std::int32_t> occurrences_;
  std::vector<std::size_t> first_;    // [vocabulary + 1] of the pairs of the token before
  std::vector<Token> tokens_;         // [pairs]
  std::vector<std::int32_t> counts_;  // [pairs]
  std::vector<float> gains_;          // [pairs]
  std::vector<float> others_;         // [vocabulary] gain of all tokens that are in no pair with it
};

/// Ranking of a depth's tokens by logits and pair counts.
struct PairWeights {
  std::shared_ptr<const PairCounts> counts = {};  // null: by logits alone
  double weight = 0;                              // of gains beside logits

  /// @param depth  from 0, whose tokens follow the text
  bool ranks(int depth) const { return depth > 0 && counts != nullptr && weight != 0; }
};

/// The best tokens of a depth by logits, which are ranked again with each token before them.
inline constexpr int kShortlist = 32;
/// Their number: kShortlist, or as many as a node has children.
int shortlist_length(int width);
/// Above temperature 0 less probable tokens may be left out of it: those whose logit over T is less than the best one's by
/// more than this. Noise takes most of the time of a short list; with 6 as many tokens are accepted as with all.
inline constexpr double kShortlistReach = 7;

/// Ranks the best tokens of a depth by their values plus weighted gains, which the temperature divides as it divides logits.
/// @param shortlist  best first
/// @param ranked     the best `width` of them
void rank_after(const PairWeights& pair_weights, Token before, double temperature,
                std::span<const sampling::RankedToken> shortlist, int width,
                std::vector<sampling::RankedToken>& ranked);

}  // namespace outrider::draft
