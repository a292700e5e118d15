#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/sampling/sampler_options.h"

namespace outrider::calibrate {

/// A prompt and the target's answer to it, wherever it was recorded, and all that decoding it depended on
/// beside the target. Loops flatter whatever copies, so nothing is counted in them.
struct Answer {
  std::string id;  // the prompt's
  std::string task;
  std::vector<Token> tokens;  // of the prompt, then of the answer
  int prompt = 0;             // how many are the prompt's; at least 1
  /// [made] 1 where a token lies in a loop (data/loops.h); empty: none does.
  std::vector<std::uint8_t> in_loop = {};
  /// The most tokens that the answer, and both together, were allowed, as far as it decides how large a
  /// draft may be. Nothing: no more than there are, as if the answer had ended where it had to.
  std::optional<int> max_new = {};
  std::optional<int> context = {};
  // How the target chose.
  sampling::SamplerOptions sampler = {};
  std::uint64_t sequence_seed = 0;

  /// Tokens of the answer.
  int made() const { return static_cast<int>(tokens.size()) - prompt; }
  int most_new() const { return max_new.value_or(made()); }
  int most_tokens() const { return context.value_or(static_cast<int>(tokens.size())); }
  double temperature() const { return sampler.temperature; }
  /// Whether tokens[position] lies in a loop of the answer.
  bool loops_at(std::size_t position) const;
  /// The first position from this one on that lies in no loop; the end if there is none.
  std::size_t after_loop(std::size_t position) const;
  /// The first position from this one on that lies in a loop; the end if there is none.
  std::size_t next_loop(std::size_t position) const;
};

}  // namespace outrider::calibrate
