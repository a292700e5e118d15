#pragma once

namespace outrider::engine {

/// The maximum and sum of the softmax over one row's scores by one head: its attention is exp(score
/// - largest) / total. The logarithm of the sum of exponentials is largest + log(total).
struct Softmax {
  float largest;
  float total;
};

}  // namespace outrider::engine
