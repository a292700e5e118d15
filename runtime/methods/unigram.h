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

class Unigram : public CalibratedMethod<UnigramSettings> {
 public:
  std::string name() const override { return "unigram"; }
  std::string summary() const override;

 protected:
  void visit_own(SettingVisitor& visitor) override;
  OwnDrafters prepare_own(const MethodTarget& target) const override;
};

}  // namespace outrider::methods
