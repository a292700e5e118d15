#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::PldPlusA: PLD+ by attention. Settings without a value are the artifact's.
struct PldPlusASettings {
  std::optional<int> draft_length;
  std::string heads;        // "LAYER:HEAD,…", or how many of the artifact's
  std::string aggregation;  // "max" or "sum"; without a calibrated one: "max"
  int branches = 1;
  std::vector<std::string> reference;  // files and folders to copy from too
  std::string guard;                   // empty: "off"
  std::string artifacts;               // file; empty: searched for
};

class PldPlusA : public Method {
 public:
  std::string name() const override { return "pld-plus-a"; }
  std::string summary() const override;
  Capabilities capabilities() const override {
    return {.copies = true, .is_source = true, .chooses_lengths = true};
  }
  void visit(SettingVisitor& visitor) override;
  void copy_whole() override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  PldPlusASettings settings;
};

}  // namespace outrider::methods
