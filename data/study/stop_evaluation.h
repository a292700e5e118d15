#pragma once

#include <memory>
#include <vector>

#include "data/study/binary_scores.h"
#include "runtime/draft/stop/stop_policy.h"

namespace outrider::study {

/// A stop policy as a classifier of the tokens that a draft model would draft along a text, in the oracle's
/// rounds: the tokens that are accepted, and the first that is not (DISCO: Mamou et al. 2024, section 2 and
/// appendix D.2). So each token of the text is classified once, after the text's own tokens before it. A policy that
/// looks at tokens predicts the acceptance of those after which it goes on, any other of those that it would draft; none
/// predicts that of a token beyond its longest round. Wherever an F1 of a policy is reported, it is this one.
class StopEvaluation {
 public:
  /// @param longest  tokens of a round at most
  StopEvaluation(std::unique_ptr<draft::StopPolicy> policy, int longest)
      : policy_(std::move(policy)), longest_(longest) {}

  void start();
  /// The next token of the text. @param token  its number in the round is filled in here
  void add(draft::DraftedToken token, bool is_accepted);

  const Confusion& confusion() const { return confusion_; }
  /// Whether there is an AUC: the policy scores tokens.
  bool has_auc() const { return !scores_.empty(); }
  double auc() const { return area_under_roc(scores_, accepted_); }

 private:
  std::unique_ptr<draft::StopPolicy> policy_;
  int longest_;
  int number_ = 0;   // tokens of the round
  int drafted_ = 0;  // of them, as far as the policy went
  bool stopped_ = false;
  Confusion confusion_;
  std::vector<double> scores_;
  std::vector<std::uint8_t> accepted_;  // [scores]
};

}  // namespace outrider::study
