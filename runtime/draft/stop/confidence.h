#pragma once

#include "runtime/draft/stop/least_score.h"
#include "runtime/draft/stop/stop_policy.h"

namespace outrider::draft {

/// Stops where the draft model itself holds its token, or all of the draft, for improbable.
class Confidence : public StopPolicy {
 public:
  /// @param threshold, along_path  a token's, or the draft's, least probability: LeastScore
  Confidence(double threshold, bool along_path)
      : least_(LeastScore::of_probability(threshold, along_path)) {}

  bool stops(const DraftedToken& last) override {
    return least_.ends(last.number, static_cast<double>(last.log_q));
  }
  std::optional<double> confidence(const DraftedToken& last) override {
    return static_cast<double>(last.log_q);
  }

 private:
  LeastScore least_;
};

}  // namespace outrider::draft
