#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/sampling/sampler_options.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::calibrate {

/// A prompt and the target's answer to it, from any source, with all settings that decoding it
/// depended on besides the target. Tokens in loops are not counted: loops favour every drafter that
/// copies.
struct Answer {
  std::string id;  // the prompt's
  std::string task;
  std::vector<Token> tokens;  // of the prompt, then of the answer
  int prompt = 0;             // number of prompt tokens; at least 1
  /// [made] 1 where a token is in a loop (data/loops.h); empty: none is.
  std::vector<std::uint8_t> in_loop = {};
  /// The limits of the answer, and of both together, in tokens, as far as they restrict the size of
  /// drafts. Nothing: the recorded length, as if the answer had ended at its limit.
  std::optional<int> max_new = {};
  std::optional<int> context = {};
  // How the target chose its tokens.
  sampling::SamplerOptions sampler = {};
  std::uint64_t sequence_seed = 0;

  /// Tokens of the answer.
  int made() const { return static_cast<int>(tokens.size()) - prompt; }
  int most_new() const { return max_new.value_or(made()); }
  int most_tokens() const { return context.value_or(static_cast<int>(tokens.size())); }
  double temperature() const { return sampler.temperature; }
  /// Whether tokens[position] is in a loop of the answer.
  bool loops_at(std::size_t position) const;
  /// The first position from this one on outside any loop; the end if there is none.
  std::size_t after_loop(std::size_t position) const;
  /// The first position from this one on inside a loop; the end if there is none.
  std::size_t next_loop(std::size_t position) const;
};

/// The sampling's counts before a token of an answer.
sampling::TokenCounts counts_before(const Answer& answer, std::size_t position);

}  // namespace outrider::calibrate
