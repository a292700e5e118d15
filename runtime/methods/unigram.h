#pragma once

#include <optional>
#include <string>

#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::Unigram: the same tokens always.
struct UnigramSettings {
  std::optional<int> drafts;  // nothing: the fastest found, or kDrafts
  bool rows = false;          // drafts one by one, not merged
  std::string artifacts;      // file; empty: found
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
