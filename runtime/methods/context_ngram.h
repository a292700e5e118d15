#pragma once

#include <optional>
#include <string>

#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::ContextNgram: n-grams of the text so far.
struct ContextNgramSettings {
  std::optional<int> draft_length;  // nothing: see resolve_shape
  int query = 1;                    // tokens looked up
  std::optional<int> drafts;        // nothing: see resolve_shape
  bool rows = false;                // separate drafts, not merged into a tree
};

class ContextNgram : public Method {
 public:
  std::string name() const override { return "context-ngram"; }
  std::string summary() const override;
  Capabilities capabilities() const override {
    return {.is_source = true, .drafts_in_grids = true};
  }
  void visit(SettingVisitor& visitor) override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  ContextNgramSettings settings;
};

}  // namespace outrider::methods
