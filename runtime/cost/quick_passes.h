#pragma once

#include <vector>

#include "runtime/cost/cost_model.h"
#include "runtime/engine/engine.h"

namespace outrider::cost {

/// Times passes of up to 17 rows, of both shapes, after a short and a long context, in a second or two; slow
/// targets after the short one only.
///
/// All points are timed in turns, so that a machine that slows down for a while slows all of them, and a time is
/// one that only a tenth of the turns were below: what else runs on the machine makes passes longer, never
/// shorter. A pass over more rows is never cheaper: where measurements say so they are averaged.
std::vector<TimedPass> time_quickly(engine::Engine& target);

/// Seconds of passes over ascending numbers of rows, made ascending: the nearest such numbers in
/// logarithms, by pooling neighbours that are not in order (Ayer et al. 1955).
std::vector<double> made_ascending(const std::vector<double>& seconds);

}  // namespace outrider::cost
