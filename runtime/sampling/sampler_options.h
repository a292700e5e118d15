#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::sampling {

/// Sampling options of the target. The defaults (0 or 1) mean off.
struct SamplerOptions {
  double temperature = 0;  // 0: the arg-max
  int top_k = 0;           // keep the k most likely tokens
  double top_p = 1;        // keep the smallest set with at least this probability
  double min_p = 0;        // keep tokens with at least this share of the best one's probability
  double repetition_penalty = 1;  // tokens of the prompt and the text so far; z > 0 ? z / r : z * r
  double presence_penalty = 0;    // subtracted once from every token of the text so far
  double frequency_penalty = 0;   // subtracted for every occurrence in the text so far
  std::vector<std::pair<Token, double>> logit_bias = {};  // added
  std::uint64_t seed = 0;

  /// Whether a choice depends on the tokens before it other than through the logits.
  bool uses_counts() const {
    return repetition_penalty != 1 || presence_penalty != 0 || frequency_penalty != 0;
  }
  bool changes_logits() const { return uses_counts() || !logit_bias.empty(); }
  bool filters() const { return top_k > 0 || top_p < 1 || min_p > 0; }
  /// Whether every choice is just the arg-max of its logits.
  bool is_arg_max() const { return temperature == 0 && !changes_logits(); }
};

/// @throws InputError naming the flag whose value is out of range or not finite.
void check(const SamplerOptions& options, int vocab);

}  // namespace outrider::sampling
