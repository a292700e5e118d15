#pragma once

#include <optional>
#include <string>

#include "runtime/methods/drafting_method.h"

namespace outrider::methods {

/// draft::ContextNgram: n-grams of the text so far.
struct ContextNgramSettings {
  std::optional<int> draft_length;  // nothing: see resolve_shape
  int query = 1;                    // tokens looked up
  std::optional<int> drafts;        // nothing: see resolve_shape
  bool rows = false;                // separate drafts, not merged into a tree
};

class ContextNgram : public DraftingMethod {
 public:
  std::string name() const override { return "context-ngram"; }
  std::string summary() const override;

  ContextNgramSettings settings;

 protected:
  Capabilities own_capabilities() const override { return {.drafts_in_grids = true}; }
  void visit_own(SettingVisitor& visitor) override;
  OwnDrafters prepare_own(const MethodTarget& target) const override;
};

}  // namespace outrider::methods
