#pragma once

#include <vector>

#include "calibrate/answers/answer.h"
#include "data/store/trace_store.h"

namespace outrider::calibrate {

/// The answers of traces with all that the target's choices depended on, from the first on.
/// @param limit  answers at most; 0: all
std::vector<Answer> read_traced_answers(const data::TraceStore& store, int limit);

}  // namespace outrider::calibrate
