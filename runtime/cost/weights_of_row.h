#pragma once

#include <cstdint>

#include "runtime/model/config.h"

namespace outrider::cost {

/// The number of weights that each row of a pass is multiplied by, of experts those that are used. Logits are left out, which not
/// every row has, and attention, since keys and values are no weights.
std::int64_t weights_of_row(const model::ModelConfig& config);

}  // namespace outrider::cost
