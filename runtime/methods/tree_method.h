#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/methods/draft_model_settings.h"
#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::TreeDrafter: a draft model's tree or graph. What has no value is that of the preset.
struct TreeSettings : DraftModelSettings {
  std::string preset = "default";           // or "paper": Gong et al. 2024, appendix A
  std::optional<int> children;              // k
  std::optional<double> prune_probability;  // theta_prob
  std::optional<double> prune_siblings;     // theta_sib
  std::optional<double> min_path;
  std::optional<int> tree_nodes;
  std::optional<int> merge_run;      // tau; of graphs
  std::optional<int> draft_depth;    // of verified paths; of graphs
  std::vector<std::string> sources;  // methods whose drafts are nodes too
};

/// What tsd and gsd share.
class TreeMethod : public Method {
 public:
  void visit(SettingVisitor& visitor) override;
  PreparedMethod prepare(const MethodTarget& target) const override;
  Capabilities capabilities() const override {
    return {.copies = settings.copy_first.on, .changes_text = settings.verify == "rejection"};
  }

  TreeSettings settings;

 protected:
  virtual bool merges() const = 0;
  virtual std::unique_ptr<TreeMethod> clone() const = 0;
};

}  // namespace outrider::methods
