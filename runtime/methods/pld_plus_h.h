#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/draft/copy/with_reference.h"
#include "runtime/methods/method.h"

namespace outrider::methods {

/// draft::PldPlusH: PLD+ by hidden states. Settings without a value are the artifact's.
struct PldPlusHSettings {
  std::optional<int> draft_length;
  std::optional<int> layer;            // as engine::TapRequest counts
  std::optional<double> threshold;     // of its layer; without a calibrated one: -1, none
  std::optional<double> logit_weight;  // of its layer; without a calibrated one: 0
  int branches = 1;
  std::string guard;                              // empty: "off"
  std::string artifacts;                          // file; empty: searched for
  std::vector<std::string> reference;             // files and folders to copy from too
  double least_speed_up = 1;                      // of draft::DraftLengths, by step; not a flag
  draft::WithReferenceOptions of_reference = {};  // not a flag
};

class PldPlusH : public Method {
 public:
  std::string name() const override { return "pld-plus-h"; }
  std::string summary() const override;
  Capabilities capabilities() const override {
    return {.copies = true, .is_source = true, .chooses_lengths = true};
  }
  void visit(SettingVisitor& visitor) override;
  void copy_whole() override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  PldPlusHSettings settings;
};

}  // namespace outrider::methods
