#pragma once

#include <optional>
#include <vector>

#include "data/trace.h"
#include "runtime/sampling/sampler_options.h"

namespace outrider::data {

/// One turn to be answered.
struct Turn {
  /// Contains names, temperature, seed and prompt tokens; the generator adds the rest.
  Trace trace;
  sampling::SamplerOptions sampler;
  /// Empty: the target generates the answer. Otherwise it only scores these tokens.
  std::vector<Token> given_answer;
};

/// Consecutive turns in one context.
class Conversation {
 public:
  virtual ~Conversation() = default;

  /// The largest number of tokens it may reach.
  virtual int context() const = 0;
  /// The next turn, whose prompt is shorter than the context; nothing at the end.
  virtual std::optional<Turn> next() = 0;
  /// Receives the turn's result.
  virtual void answered(Trace trace) = 0;
};

}  // namespace outrider::data
