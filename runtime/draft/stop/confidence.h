#pragma once

#include "runtime/base/math.h"
#include "runtime/draft/stop/stop_policy.h"

namespace outrider::draft {

/// Stops after a token that the draft model itself holds for improbable.
class Confidence : public StopPolicy {
 public:
  /// @param threshold  the least probability that goes on; 0: never stops, above 1: always
  explicit Confidence(double threshold) : least_log_q_(math::log(threshold)) {}

  bool stops(const DraftedToken& last) override {
    return static_cast<double>(last.log_q) < least_log_q_;
  }
  std::optional<double> confidence(const DraftedToken& last) override {
    return static_cast<double>(last.log_q);
  }

 private:
  double least_log_q_;
};

}  // namespace outrider::draft
