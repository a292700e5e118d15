#pragma once

#include <optional>
#include <string>

#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::Bigram: a table of the likeliest tokens after each token.
struct BigramSettings {
  std::optional<int> draft_length;  // nothing: the fastest found by calibration, or kDraftLength
  std::optional<int> drafts;        // nothing: the fastest found by calibration, or kDrafts
  bool rows = false;                // separate drafts, not merged into a tree
  std::string artifacts;            // file; empty: searched for
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
