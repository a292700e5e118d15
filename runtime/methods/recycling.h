#pragma once

#include <optional>
#include <string>

#include "runtime/methods/drafting_method.h"

namespace outrider::methods {

/// draft::Recycling: a table of what the target expected earlier in the text.
struct RecyclingSettings {
  std::optional<int> draft_length;  // levels; nothing: 8
  std::optional<int> draft_nodes;   // 0: as many as are fastest; nothing: 0 where prices are known
  std::string artifacts;            // file; empty: searched for
};

class Recycling : public CalibratedMethod<RecyclingSettings> {
 public:
  std::string name() const override { return "recycling"; }
  std::string summary() const override;

 protected:
  void visit_own(SettingVisitor& visitor) override;
  OwnDrafters prepare_own(const MethodTarget& target) const override;
};

}  // namespace outrider::methods
