#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/sampling/candidates.h"
#include "runtime/sampling/sampler_options.h"
#include "runtime/sampling/sequence_sampling.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::sampling {

/// The seed of one sequence: the XXH3 hash of the user's seed, the turn and the sample's number (64,
/// 32 and 32 bits, little-endian) and the prompt's id, so that prompts and samples are not
/// correlated.
std::uint64_t sequence_seed(std::uint64_t seed, std::string_view prompt_id, int turn, int sample);

/// The target's own choice at one position: argmax_v (z_v / T + g(seed, position, v)) over the
/// tokens that the filters leave, ties to the lowest id. The order is fixed: repetition penalty,
/// presence and frequency penalty, bias, temperature, top-k, top-p, min-p, each on the distribution
/// over what the one before has left. g is Gumbel noise keyed by (sequence seed, position, token),
/// one vector per position shared by all rows and drafters, so the text depends on the target, the
/// prompt and the seed, never on the drafter. At T = 0 there is no noise, and the filters, which
/// never drop the best token, change nothing.
///
/// By the Gumbel-max trick the choice is distributed as softmax(z / T) over the tokens left.
/// From the logits on everything is in double precision, with the same bits on every CPU.
class Sampler {
 public:
  /// @param options  checked already
  Sampler(const SamplerOptions& options, int vocab, std::uint64_t sequence_seed);

  /// @param logits    [vocab] natural-log scale, unnormalised; -infinity is never chosen
  /// @param position  absolute position of the token to choose: the number of tokens before it
  /// @param counts    along the path that leads here
  /// @throws std::logic_error if a logit is NaN or +infinity, or all are -infinity
  Token choose(std::span<const float> logits, std::int64_t position, const TokenCounts& counts);

  /// What its choices follow from, with these counts along the text.
  SequenceSampling sampling(const TokenCounts& counts) const {
    return {options_, sequence_seed_, counts};
  }
  /// Whether every choice is just the arg-max of its logits.
  bool is_arg_max() const { return options_.temperature == 0 && !changes_logits_; }
  /// Whether a choice depends on the counts.
  bool uses_counts() const { return uses_counts_; }

 private:
  /// Makes `scores_`, of which the largest is 0 above temperature 0, and returns that token.
  Token score(std::span<const float> logits, const TokenCounts& counts);
  void apply_penalties_and_bias(const TokenCounts& counts);
  std::vector<Candidate> filtered() const;

  SamplerOptions options_;
  std::uint64_t sequence_seed_;
  bool uses_counts_;
  bool changes_logits_;  // by penalties or bias
  bool filters_;
  std::vector<double> scores_;  // [vocab] the logits on their way to (z - z of the best token) / T
};

}  // namespace outrider::sampling
