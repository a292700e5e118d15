#pragma once

#include <optional>
#include <string>

#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::Bigram: a table of the likeliest tokens after each token.
struct BigramSettings {
  std::optional<int> draft_length;  // nothing: see resolve_shape
  std::optional<int> drafts;        // nothing: see resolve_shape
  bool rows = false;                // separate drafts, not merged into a tree
  std::string artifacts;            // file; empty: searched for
};

class Bigram : public Method {
 public:
  std::string name() const override { return "bigram"; }
  std::string summary() const override;
  Capabilities capabilities() const override { return {.drafts_in_grids = true}; }
  void visit(SettingVisitor& visitor) override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  BigramSettings settings;
};

}  // namespace outrider::methods
