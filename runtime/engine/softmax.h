#pragma once

namespace outrider::engine {

/// What makes attention of the scores of one row by one head: exp(score - largest) / total. The
/// logarithm of the sum of exponentials is largest + log(total).
struct Softmax {
  float largest;
  float total;
};

}  // namespace outrider::engine
