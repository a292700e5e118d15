#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/draft/copy/with_reference.h"
#include "runtime/methods/drafting_method.h"

namespace outrider::methods {

/// draft::PldPlusH: PLD+ by hidden states. Settings without a value are the artifact's.
struct PldPlusHSettings {
  std::optional<int> draft_length;
  std::optional<int> layer;            // as engine::TapRequest counts
  std::optional<double> threshold;     // of its layer; without a calibrated one: -1, none
  std::optional<double> logit_weight;  // of its layer; without a calibrated one: 0
  int branches = 1;
  std::string artifacts;                          // file; empty: searched for
  double least_speed_up = 1;                      // of draft::DraftLengths, by step; not a flag
  draft::WithReferenceOptions of_reference = {};  // not a flag
};

class PldPlusH : public CalibratedMethod<PldPlusHSettings> {
 public:
  std::string name() const override { return "pld-plus-h"; }
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
