#pragma once

#include <cstdint>

namespace outrider::train {

/// The loss of a batch. Its mean is loss / tokens.
struct StepLoss {
  double loss = 0;          // sum over the tokens that have a loss
  std::int64_t tokens = 0;  // their number
};

}  // namespace outrider::train
