#pragma once

#include <optional>
#include <string>

#include "runtime/draft/parallel/parallel_model.h"
#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::ParallelDrafter, of either flavour.
struct ParallelSpecSettings {
  std::string draft;                 // artifact file; empty: found in `artifacts`
  std::optional<int> draft_length;   // depths; nothing: the best that is known, or the most
  std::string tree = "chain";        // parse_tree_widths
  std::optional<double> threshold;   // nothing: 0
  std::optional<int> draft_threads;  // nothing: the target's
  std::string artifacts;             // file; empty: found
  std::string verify = "coupled";    // or "rejection"
};

class ParallelSpec : public Method {
 public:
  explicit ParallelSpec(draft::ParallelModel::Flavour flavour) : flavour_(flavour) {}

  std::string name() const override;
  std::string summary() const override;
  Capabilities capabilities() const override {
    return {.changes_text = settings.verify == "rejection"};
  }
  void visit(SettingVisitor& visitor) override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  ParallelSpecSettings settings;

 private:
  draft::ParallelModel::Flavour flavour_;
};

}  // namespace outrider::methods
