#pragma once

#include <optional>

#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::Pld: prompt lookup.
struct PldSettings {
  int ngram = 3;                    // longest n-gram looked up
  std::optional<int> draft_length;  // nothing: kDraftLength
};

class Pld : public Method {
 public:
  std::string name() const override { return "pld"; }
  std::string summary() const override;
  Capabilities capabilities() const override { return {.copies = true}; }
  void visit(SettingVisitor& visitor) override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  PldSettings settings;
};

}  // namespace outrider::methods
