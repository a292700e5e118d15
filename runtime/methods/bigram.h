#pragma once

#include <optional>
#include <string>

#include "runtime/methods/drafting_method.h"

namespace outrider::methods {

/// draft::Bigram: a table of the likeliest tokens after each token.
struct BigramSettings {
  std::optional<int> draft_length;  // nothing: see resolve_shape
  std::optional<int> drafts;        // nothing: see resolve_shape
  bool rows = false;                // separate drafts, not merged into a tree
  std::string artifacts;            // file; empty: searched for
};

class Bigram : public CalibratedMethod<BigramSettings> {
 public:
  std::string name() const override { return "bigram"; }
  std::string summary() const override;

 protected:
  Capabilities own_capabilities() const override { return {.drafts_in_grids = true}; }
  void visit_own(SettingVisitor& visitor) override;
  OwnDrafters prepare_own(const MethodTarget& target) const override;
};

}  // namespace outrider::methods
