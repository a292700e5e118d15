#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/decode/sampler_options.h"
#include "runtime/decode/token_counts.h"

namespace outrider::decode {

/// Hashes the user's seed, the prompt's id, the turn and the sample's number into the seed of one sequence, so
/// that prompts and samples are not correlated.
std::uint64_t sequence_seed(std::uint64_t seed, std::string_view prompt_id, int turn, int sample);

/// The target's own choice at one position: argmax_v (z_v / T + g(seed, position, v)) over the
/// tokens that the filters leave, ties to the lowest id. The order is fixed: repetition penalty,
/// presence and frequency penalty, bias, temperature, top-k, top-p, min-p. g is Gumbel noise keyed
/// by (sequence seed, position, token), one vector per position shared by all rows and drafters, so
/// the text depends on the target, the prompt and the seed, never on the drafter. At T = 0 there is
/// no noise.
///
/// By the Gumbel-max trick the choice is distributed as softmax(z / T) over the tokens left.
class Sampler {
 public:
  /// @param options  checked already
  Sampler(const SamplerOptions& options, int vocab, std::uint64_t sequence_seed);

  /// @param logits    [vocab] natural-log scale, unnormalised
  /// @param position  absolute position of the token to choose: the number of tokens before it
  /// @param counts    along the path that leads here
  Token choose(std::span<const float> logits, std::int64_t position, const TokenCounts& counts);

 private:
  bool changes_logits() const;
  /// The logits after penalties and bias, rounded to float once each.
  std::span<const float> penalise(std::span<const float> logits, const TokenCounts& counts);

  SamplerOptions options_;
  std::uint64_t sequence_seed_;
  std::vector<float> changed_;  // [vocab], only where penalties or bias change anything
};

}  // namespace outrider::decode
