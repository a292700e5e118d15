#pragma once

#include "runtime/cost/statistics.h"
#include "runtime/engine/engine.h"

namespace outrider::cost {

struct StepTimes {
  Spread draft;   // of a draft model's pass over one row, seconds
  Spread target;  // of the target's
};

/// Both in turns, as rounds take them: a machine that slows down for a while slows both, and
/// each finds the caches as the other left them.
/// @param context  tokens before the rows
/// @param rounds   of a pass and a few steps
StepTimes time_steps(engine::Engine& target, engine::Engine& draft, int context, int rounds = 40);

}  // namespace outrider::cost
