#pragma once

#include <optional>
#include <string>

#include "runtime/methods/drafting_method.h"

namespace outrider::methods {

/// draft::NGrammys: n-grams of the text, then the table.
struct NgrammysSettings {
  std::optional<int> draft_length;  // nothing: see resolve_shape
  int query = 1;                    // tokens looked up
  std::optional<int> drafts;        // nothing: see resolve_shape
  bool rows = false;                // separate drafts, not merged into a tree
  std::string artifacts;            // file; empty: searched for
};

class Ngrammys : public CalibratedMethod<NgrammysSettings> {
 public:
  std::string name() const override { return "ngrammys"; }
  std::string summary() const override;

 protected:
  Capabilities own_capabilities() const override { return {.drafts_in_grids = true}; }
  void visit_own(SettingVisitor& visitor) override;
  OwnDrafters prepare_own(const MethodTarget& target) const override;
};

}  // namespace outrider::methods
