#pragma once

#include <optional>
#include <string>

#include "runtime/methods/drafting_method.h"

namespace outrider::methods {

/// draft::Unigram: always the same tokens.
struct UnigramSettings {
  std::optional<int> drafts;  // nothing: see resolve_shape
  bool rows = false;          // separate drafts, not merged into a tree
  std::string artifacts;      // file; empty: searched for
};

class Unigram : public DraftingMethod {
 public:
  std::string name() const override { return "unigram"; }
  std::string summary() const override;

  UnigramSettings settings;

 protected:
  void visit_own(SettingVisitor& visitor) override;
  std::string* artifacts() override { return &settings.artifacts; }
  OwnDrafters prepare_own(const MethodTarget& target) const override;
};

}  // namespace outrider::methods
