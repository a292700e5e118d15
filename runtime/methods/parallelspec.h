#pragma once

#include <optional>
#include <string>
#include <utility>

#include "runtime/draft/parallelspec/parallelspec_model.h"
#include "runtime/methods/draft_model_method.h"

namespace outrider::methods {

/// draft::ParallelSpecDrafter, of any flavour.
/// What is not given is the fastest by what was calibrated; without that as long as the best length that is known, or
/// as the most.
struct ParallelSpecSettings : DraftModelSettings {
  std::string
      tree;  // parse_tree; empty: calibrated, or best:4, or a chain where trees are not possible
  std::optional<double>
      threshold;  // nothing: calibrated, or 0.2 for a chain and the best nodes, else 0
  std::optional<double> follow_weight;  // draft::PairWeights; nothing: find_pair_weights
};

/// What parallelspec-eagle, parallelspec-medusa, eagle-ar and medusa-heads share.
class ParallelSpec : public DraftModelMethod<ParallelSpecSettings> {
 public:
  ParallelSpec(draft::ParallelSpecModel::Flavour flavour, std::string summary)
      : flavour_(flavour), summary_(std::move(summary)) {}

  std::string name() const override;
  std::string summary() const override { return summary_; }
  int longest_draft(const MethodTarget& target) const override;
  /// As few drafted tokens as can be: where memory is faster than when passes were timed, further rows cost more of a pass.
  cost::Preference preference() const override;

 protected:
  void visit_own(SettingVisitor& visitor) override;
  OwnDrafters prepare_own(const MethodTarget& target) const override;

 private:
  draft::ParallelSpecModel::Flavour flavour_;
  std::string summary_;
};

}  // namespace outrider::methods
