#pragma once

#include <optional>
#include <string>

#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::Bigram: a table of what follows each token.
struct BigramSettings {
  std::optional<int> draft_length;  // nothing: the fastest found, or kDraftLength
  std::optional<int> drafts;        // nothing: the fastest found, or kDrafts
  bool rows = false;                // drafts one by one, not merged
  std::string artifacts;            // file; empty: found
};

class Bigram : public Method {
 public:
  std::string name() const override { return "bigram"; }
  std::string summary() const override;
  void visit(SettingVisitor& visitor) override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  BigramSettings settings;
};

}  // namespace outrider::methods
