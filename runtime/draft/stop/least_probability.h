#pragma once

#include "runtime/base/math.h"

namespace outrider::draft {

/// Whether drafting ends: after a token that is accepted with a probability below a threshold, or after one that is
/// reached and accepted with a probability below it, the product of those of the draft's tokens so far.
class LeastProbability {
 public:
  /// @param threshold   the least probability that goes on; 0: never ends, above 1: always
  /// @param along_path  whether it is of the product
  LeastProbability(double threshold, bool along_path)
      : least_(math::log(threshold)), along_path_(along_path) {}

  /// @param number  of the token in its round, from 1
  /// @param log     of its probability
  bool ends(int number, double log) {
    path_ = along_path_ && number > 1 ? path_ + log : log;
    return path_ < least_;
  }

 private:
  double least_;
  bool along_path_;
  double path_ = 0;  // logarithm
};

}  // namespace outrider::draft
