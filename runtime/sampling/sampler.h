#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/token.h"
#include "runtime/sampling/noise_bounds.h"
#include "runtime/sampling/sampler_options.h"
#include "runtime/sampling/sequence_sampling.h"
#include "runtime/sampling/token_choice.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::sampling {

/// The seed of one sequence: the XXH3 hash of the user's seed, the turn and the sample's number (64,
/// 32 and 32 bits, little-endian) and the prompt's id, so that prompts and samples are not
/// correlated.
std::uint64_t sequence_seed(std::uint64_t seed, std::string_view prompt_id, int turn, int sample);

/// The target's own choices in one sequence, as TokenChoice makes them: one vector of noise per
/// position, shared by all rows and drafters, so the text depends on the target, the prompt and the
/// seed, never on the drafter. By the Gumbel-max trick a choice is distributed as softmax(z / T) over
/// the tokens that the filters leave.
class Sampler {
 public:
  /// @param options  checked already
  Sampler(const SamplerOptions& options, int vocab, std::uint64_t sequence_seed)
      : options_(options),
        seed_(sequence_seed),
        choice_(vocab),
        bounds_(sequence_seed, options.temperature > 0 ? vocab : 0) {}

  /// @param logits    [vocab] as for TokenChoice
  /// @param position  absolute position of the token to choose: the number of tokens before it
  /// @param counts    along the path that leads here
  Token choose(std::span<const float> logits, std::int64_t position, const TokenCounts& counts) {
    return choice_.choose(sampling(counts), logits, position);
  }

  /// The state that its choices depend on, with these counts along the text.
  SequenceSampling sampling(const TokenCounts& counts) const {
    return {options_, seed_, counts, &bounds_};
  }
  const SamplerOptions& options() const { return options_; }

 private:
  SamplerOptions options_;
  std::uint64_t seed_;  // of the sequence
  TokenChoice choice_;
  mutable NoiseBounds bounds_;  // computed once, whoever asks for them
};

}  // namespace outrider::sampling
