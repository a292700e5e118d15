#pragma once

#include <optional>
#include <string>
#include <utility>

#include "runtime/draft/parallel/parallel_model.h"
#include "runtime/methods/draft_model_settings.h"
#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::ParallelDrafter, of any flavour.
/// What is not given is the fastest by what was calibrated; without that as long as the best length that is known, or
/// as the most.
struct ParallelSpecSettings : DraftModelSettings {
  std::string
      tree;  // parse_tree; empty: calibrated, or best:4, or a chain where trees are not possible
  std::optional<double>
      threshold;      // nothing: calibrated, or 0.2 for a chain and the best nodes, else 0
  std::string guard;  // "on" or "off"; empty: off
  std::optional<double> follow_weight;  // draft::Following; nothing: find_following
};

/// What parallelspec-eagle, parallelspec-medusa, eagle-ar and medusa-heads share.
class ParallelSpec : public Method {
 public:
  ParallelSpec(draft::ParallelModel::Flavour flavour, std::string summary)
      : flavour_(flavour), summary_(std::move(summary)) {}

  std::string name() const override;
  std::string summary() const override { return summary_; }
  Capabilities capabilities() const override {
    return {.copies = settings.copy_first.on, .changes_text = settings.verify == "rejection"};
  }
  void visit(SettingVisitor& visitor) override;
  int longest_draft(const MethodTarget& target) const override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  ParallelSpecSettings settings;

 private:
  draft::ParallelModel::Flavour flavour_;
  std::string summary_;
};

}  // namespace outrider::methods
