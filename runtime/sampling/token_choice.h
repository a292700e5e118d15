#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/sampling/candidates.h"
#include "runtime/sampling/distribution.h"
#include "runtime/sampling/gumbel_max.h"
#include "runtime/sampling/nucleus.h"
#include "runtime/sampling/sequence_sampling.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::sampling {

/// The logarithm of the sum of the weights e^score of tokens, of which the best has the score 0.
/// @param units  what they count for together (base/weight_units.h)
double log_of_units(std::int64_t units);

/// A choice, and by how much its sum z / T + g (at T = 0 its logit) exceeds that of the second best token; infinite
/// where there is no other.
struct ChosenToken {
  Token token;
  float lead;
};

/// The choice of one token: argmax_v (z_v / T + g(seed, position, v)) over the tokens that the filters
/// leave, ties to the lowest id. The order is fixed: repetition penalty, presence and frequency
/// penalty, bias, temperature, top-k, top-p, min-p, each on the distribution over what the one before
/// has left. g is Gumbel noise keyed by (sequence seed, position, token). At T = 0 there is no noise,
/// and the filters, which never drop the best token, change nothing.
///
/// Used by the target, and by drafters with their own logits: over a vocabulary or a part of it, with noise
/// keyed by the target's ids, so that the two agree wherever their distributions do. With
/// probabilities p and q they agree with probability sum_v 1 / sum_w max(p_w / p_v, q_w / q_v) (Daliri,
/// Musco, Suresh 2024, on Gumbel sampling).
///
/// From the logits on everything is in double precision, with the same bits on every CPU.
class TokenChoice {
 public:
  /// Over a whole vocabulary of `vocab` tokens.
  explicit TokenChoice(int vocab);
  /// Over these tokens only, ascending ids of the target's vocabulary: as if all others had a logit of
  /// -infinity.
  /// @throws std::logic_error if they do not ascend
  explicit TokenChoice(std::vector<Token> tokens);

  /// Chooses over these tokens only from now on, ascending; allocates nothing for as many as before.
  void restrict_to(std::span<const Token> tokens);

  /// @param logits    [tokens] natural-log scale, unnormalised; -infinity is never chosen
  /// @param position  absolute position of the token to choose: the number of tokens before it
  /// @throws std::logic_error if a logit is NaN or +infinity, or all are -infinity
  Token choose(const SequenceSampling& sampling, std::span<const float> logits,
               std::int64_t position);

  /// The token that `choose` chooses, and how sure the choice is with this noise.
  ChosenToken choose_with_lead(const SequenceSampling& sampling, std::span<const float> logits,
                               std::int64_t position);

  /// The k tokens with the largest sums z_v / T + g, of which `choose` takes the first; fewer where the
  /// filters leave fewer. At T = 0 those with the largest logits, after penalties and bias.
  /// @param k    at least 1
  /// @param top  best first. Above T = 0 `score` is the logarithm of a token's probability, counted in whole units as
  ///             Nucleus counts, so that no bit depends on the order of a sum; at T = 0 it is its logit.
  void rank(const SequenceSampling& sampling, std::span<const float> logits, std::int64_t position,
            int k, std::vector<RankedToken>& top);

  /// Ranks as `rank` does, in less time: above T = 0 `score` has a constant added, the same for all tokens.
  /// @param reach  above T = 0, without filters, tokens whose score is by more than this less than the best one's are left out
  void rank_unnormalised(const SequenceSampling& sampling, std::span<const float> logits,
                         std::int64_t position, int k, std::vector<RankedToken>& ranked,
                         double reach = std::numeric_limits<double>::infinity());

  /// The distribution of such choices over the noise: softmax of the scores that the filters leave; at
  /// T = 0 all on one token.
  void distribute(const SequenceSampling& sampling, std::span<const float> logits,
                  Distribution& out);

 private:
  bool is_whole() const { return tokens_.empty(); }
  Token token(std::size_t index) const {
    return is_whole() ? static_cast<Token>(index) : tokens_[index];
  }
  double* score_of(Token token);
  void check_ascending() const;
  void check_size(std::span<const float> logits) const;
  /// Fills `scores_`, of which the largest is 0 above temperature 0, and returns the largest's index.
  std::size_t score(const SequenceSampling& sampling, std::span<const float> logits);
  /// The scores above temperature 0, without filters, and their noise; may refer to the logits.
  NoisyScores noisy_scores(const SequenceSampling& sampling, std::span<const float> logits,
                           std::int64_t position);
  void apply_penalties_and_bias(const SequenceSampling& sampling);
  std::int64_t sum_of_units();
  void filter(const SamplerOptions& options);

  std::vector<Token> tokens_;    // empty: the whole vocabulary
  std::vector<double> scores_;   // [tokens] logits, then (z - z of the best token) / T
  std::vector<double> weights_;  // [tokens] their exponentials, where asked for
  std::vector<Candidate> left_;  // what the filters leave, where there are any
  Nucleus nucleus_;
  std::vector<RankedToken> best_two_;
};

}  // namespace outrider::sampling
