#pragma once

#include <string>

namespace outrider::train {

/// How a drafter of the target's layers learns, and the type of the result.
struct LearningOptions {
  std::string loss;         // kl, hard or both
  double hard_share = 0.5;  // with both
  int most_context = 2048;  // prompt tokens before an answer, the last ones; 0: all
  std::string precision = "auto";
  std::string quantise = "q8_0";  // q8_0, q4_1 or none

  /// Weight of the hard labels in the loss: 0 with kl, 1 with hard.
  double share_of_hard() const {
    if (loss == "kl") return 0;
    return loss == "hard" ? 1 : hard_share;
  }
};

}  // namespace outrider::train
