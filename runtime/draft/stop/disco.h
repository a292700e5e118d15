#pragma once

#include <memory>
#include <utility>

#include "runtime/draft/stop/stop_classifier.h"
#include "runtime/draft/stop/stop_policy.h"

namespace outrider::draft {

/// Stops after a token that a classifier holds for one that will be rejected: DISCO, Mamou et al. 2024.
class Disco : public StopPolicy {
 public:
  /// @param threshold  tau: the least C_i that goes on; 0: never stops, above 1: always
  /// @param kernels    of the draft's engine; must outlive it
  Disco(std::shared_ptr<const StopClassifier> classifier, double threshold,
        const engine::ScoreKernels& kernels)
      : classifier_(std::move(classifier)), threshold_(threshold), rows_(kernels) {}

  bool stops(const DraftedToken& last) override { return *confidence(last) < threshold_; }
  /// C_i
  std::optional<double> confidence(const DraftedToken& last) override {
    return classifier_->probability(rows_.read(last.logits), last.index);
  }

 private:
  std::shared_ptr<const StopClassifier> classifier_;
  double threshold_;
  RowFeatureReader rows_;
};

}  // namespace outrider::draft
