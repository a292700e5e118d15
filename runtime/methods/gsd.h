#pragma once

#include <optional>
#include <string>

#include "runtime/methods/draft_model_method.h"

namespace outrider::methods {

/// draft::GsdDrafter: a draft model's tree or graph. What has no value is that of the preset.
struct GsdSettings : DraftModelSettings {
  std::string preset = "default";           // or "paper": Gong et al. 2024, appendix A
  std::optional<int> children;              // k
  std::optional<double> prune_probability;  // theta_prob
  std::optional<double> prune_siblings;     // theta_sib
  std::optional<double> min_path;
  std::optional<int> tree_nodes;
  std::optional<int> merge_run;    // tau; of graphs
  std::optional<int> draft_depth;  // of verified paths; of graphs
};

/// Trees of a draft model: as they are (tsd), or with branches merged where they repeat each other (gsd).
class Gsd : public DraftModelMethod<GsdSettings> {
 public:
  explicit Gsd(bool merges) : merges_(merges) {}

  std::string name() const override { return merges_ ? "gsd" : "tsd"; }
  std::string summary() const override {
    return merges_ ? "a draft model's tree, branches merged where they repeat each other"
                   : "a draft model's tree";
  }
  /// As few thresholds as can be, with as many children and nodes as the fastest: a threshold that gains nothing on the texts
  /// of the calibration is likely to lose on others.
  cost::Preference preference() const override;

 protected:
  void visit_own(SettingVisitor& visitor) override;
  OwnDrafters prepare_own(const MethodTarget& target) const override;

 private:
  bool merges_;
};

}  // namespace outrider::methods
