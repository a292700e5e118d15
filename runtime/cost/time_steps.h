#pragma once

#include "runtime/engine/engine.h"

namespace outrider::cost {

struct StepSeconds {
  double draft = 0;   // of a draft model's pass over one row
  double target = 0;  // of the target's
};

/// Medians of both in turns, as rounds take them: a machine that slows down for a while slows both, and
/// each finds the caches as the other left them.
/// @param context  tokens before the rows
StepSeconds time_steps(engine::Engine& target, engine::Engine& draft, int context);

}  // namespace outrider::cost
