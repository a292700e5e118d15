#pragma once

#include <memory>
#include <utility>

#include "runtime/base/math.h"
#include "runtime/draft/stop/least_score.h"
#include "runtime/draft/stop/stop_classifier.h"
#include "runtime/draft/stop/stop_policy.h"
#include "runtime/draft/stop/text_match.h"

namespace outrider::draft {

/// Stops after a token of which a classifier predicts that it will be rejected. With a classifier of the paper's inputs
/// and a threshold of C_i it is DISCO (Mamou et al. 2024, section 3). Beyond the paper it can stop where it is improbable
/// that all tokens so far are accepted.
class ClassifierStop : public StopPolicy {
 public:
  /// @param threshold   tau, of C_i or of the product of the round's: LeastScore
  ClassifierStop(std::shared_ptr<const StopClassifier> classifier, double threshold,
                 bool along_path)
      : classifier_(std::move(classifier)),
        needs_lead_(classifier_->reads_drawn_token()),
        needs_text_(classifier_->reads_match()),
        least_(LeastScore::of_probability(threshold, along_path)) {}

  bool stops(const DraftedToken& last) override {
    return least_.ends(last.number, math::log(*confidence(last)));
  }
  /// C_i
  std::optional<double> confidence(const DraftedToken& last) override {
    const int match = needs_text_ ? text_match(last.before, last.token) : 0;
    return classifier_->probability(last.features, {last.index, last.log_q, last.lead, match});
  }
  bool needs_lead() const override { return needs_lead_; }
  bool needs_features() const override { return true; }
  bool needs_text() const override { return needs_text_; }

 private:
  std::shared_ptr<const StopClassifier> classifier_;
  bool needs_lead_, needs_text_;
  LeastScore least_;
};

}  // namespace outrider::draft
