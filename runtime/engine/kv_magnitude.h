#pragma once

#include "runtime/model/model.h"

namespace outrider::engine {

/// Whether keys or values are likely to have numbers that no half can hold, by the weights alone: a row's input is normalised, so
/// that the root mean square of each of its products is known, and eight times of that are counted as likely. What this does
/// not foresee ends at the row that is beyond, with NumericsPlan::kv_bound.
bool likely_beyond_half(const model::Model& model);

}  // namespace outrider::engine
