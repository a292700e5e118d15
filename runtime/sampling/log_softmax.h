#pragma once

namespace outrider::sampling {

/// What turns the logits of a row into logarithms of probabilities of softmax.
struct LogSoftmax {
  float largest = 0;
  double log_sum = 0;  // of exp(logit - largest)

  float of(float logit) const {
    return static_cast<float>(static_cast<double>(logit) - static_cast<double>(largest) - log_sum);
  }
};

}  // namespace outrider::sampling
