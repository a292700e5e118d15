#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/methods/drafting_method.h"

namespace outrider::methods {

/// draft::Pld: prompt lookup.
struct PldSettings {
  std::optional<int> ngram;         // longest n-gram looked up; nothing: 10, as published 3
  std::optional<int> draft_length;  // nothing: 4, as published kDraftLength
  bool published = false;
  int shortest = 1;       // n-gram looked up in the text; not a flag
  std::string artifacts;  // whose costs the guard uses; not a flag
};

class Pld : public DraftingMethod {
 public:
  std::string name() const override { return "pld"; }
  std::string summary() const override;
  void copy_whole() override;

  PldSettings settings;

 protected:
  Capabilities own_capabilities() const override { return {.copies = true}; }
  void visit_own(SettingVisitor& visitor) override;
  OwnDrafters prepare_own(const MethodTarget& target) const override;
};

}  // namespace outrider::methods
