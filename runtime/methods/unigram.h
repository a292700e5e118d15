#pragma once

#include <optional>
#include <string>

#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::Unigram: always the same tokens.
struct UnigramSettings {
  std::optional<int> drafts;  // nothing: see resolve_shape
  bool rows = false;          // separate drafts, not merged into a tree
  std::string artifacts;      // file; empty: searched for
};

class Unigram : public Method {
 public:
  std::string name() const override { return "unigram"; }
  std::string summary() const override;
  void visit(SettingVisitor& visitor) override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  UnigramSettings settings;
};

}  // namespace outrider::methods
