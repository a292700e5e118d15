#pragma once

#include <optional>
#include <string>

#include "runtime/methods/drafting_method.h"

namespace outrider::methods {

/// draft::PldPlusA: PLD+ by attention. Settings without a value are the artifact's.
struct PldPlusASettings {
  std::optional<int> draft_length;
  std::string heads;        // "LAYER:HEAD,…", or how many of the artifact's
  std::string aggregation;  // "max" or "sum"; without a calibrated one: "max"
  int branches = 1;
  std::string artifacts;  // file; empty: searched for
};

class PldPlusA : public CalibratedMethod<PldPlusASettings> {
 public:
  std::string name() const override { return "pld-plus-a"; }
  std::string summary() const override;
  void copy_whole() override;

 protected:
  Capabilities own_capabilities() const override {
    return {.copies = true, .chooses_lengths = true};
  }
  void visit_own(SettingVisitor& visitor) override;
  OwnDrafters prepare_own(const MethodTarget& target) const override;
};

}  // namespace outrider::methods
