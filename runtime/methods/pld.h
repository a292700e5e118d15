#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::Pld: prompt lookup.
struct PldSettings {
  std::optional<int> ngram;         // longest n-gram looked up; nothing: 10, as published 3
  std::optional<int> draft_length;  // nothing: 4, as published kDraftLength
  bool published = false;
  std::vector<std::string> reference;  // files and folders to copy from too
  std::string guard;                   // empty: "off"
  int shortest = 1;                    // n-gram looked up in the text; not a flag
  std::string artifacts;               // whose costs the guard uses; not a flag
};

class Pld : public Method {
 public:
  std::string name() const override { return "pld"; }
  std::string summary() const override;
  Capabilities capabilities() const override { return {.copies = true, .is_source = true}; }
  void visit(SettingVisitor& visitor) override;
  void copy_whole() override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  PldSettings settings;
};

}  // namespace outrider::methods
