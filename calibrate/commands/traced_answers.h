#pragma once

#include <map>
#include <vector>

#include "calibrate/answers/answer.h"
#include "data/store/trace_store.h"

namespace outrider::calibrate {

/// The answers of traces with all that the target's choices depended on, from the first on.
/// @param limit  answers at most; 0: all
std::vector<Answer> read_traced_answers(const data::TraceStore& store, int limit);

/// Answers by their temperature; they must outlive the result.
std::map<double, std::vector<const Answer*>> answers_by_temperature(
    const std::vector<Answer>& answers);

}  // namespace outrider::calibrate
