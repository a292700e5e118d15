#pragma once

#include <optional>
#include <vector>

#include "data/trace.h"
#include "runtime/sampling/sampler_options.h"

namespace outrider::data {

/// One turn to be answered.
struct Turn {
  /// With its names, temperature, seed and prompt tokens; the generator adds the rest.
  Trace trace;
  sampling::SamplerOptions sampler;
  /// Empty: the target makes its own choices. Else it only scores these tokens.
  std::vector<Token> given_answer;
};

/// Turns that follow each other in one context.
class Conversation {
 public:
  virtual ~Conversation() = default;

  /// The most tokens it may reach.
  virtual int context() const = 0;
  /// The turn to be answered next, whose prompt is shorter than the context; nothing at the end.
  virtual std::optional<Turn> next() = 0;
  /// What came of it.
  virtual void answered(Trace trace) = 0;
};

}  // namespace outrider::data
