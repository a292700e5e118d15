#pragma once

#include "runtime/base/math.h"

namespace outrider::draft {

/// Whether drafting ends: after a token with a score below a limit, or after one with which the sum of the draft's
/// scores so far is below it. Of logarithms of probabilities the sum is that of the whole draft's acceptance.
class LeastScore {
 public:
  /// @param least   the lowest score at which drafting continues
  /// @param of_sum  whether the sum of a round's scores is compared
  LeastScore(double least, bool of_sum) : least_(least), of_sum_(of_sum) {}

  /// The rule for scores that are logarithms of probabilities.
  /// @param threshold   the least probability that goes on; 0: never ends, above 1: always
  /// @param along_path  whether it is of the product
  static LeastScore of_probability(double threshold, bool along_path) {
    return {math::log(threshold), along_path};
  }

  /// @param number  of the token in its round, from 1
  bool ends(int number, double score) {
    sum_ = of_sum_ && number > 1 ? sum_ + score : score;
    return sum_ < least_;
  }

 private:
  double least_;
  bool of_sum_;
  double sum_ = 0;
};

}  // namespace outrider::draft
