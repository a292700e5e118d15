#pragma once

#include <optional>
#include <string>

#include "runtime/draft/model/model_drafter.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/methods/draft_model_method.h"
#include "runtime/methods/loaded_draft.h"

namespace outrider::methods {

/// draft::ModelDrafter: speculative decoding with a draft model.
/// Settings without a value get what calibration found fastest with the values that are given.
struct SsdSettings : DraftModelSettings {
  std::string stop;                 // draft::stop_policy_names; empty: "static"
  std::optional<double> threshold;  // where has_threshold; nothing: kDraftThreshold
  std::string disco_set;            // find_trained_disco; empty: artifacts::kAllTexts
  int window = 0;                   // draft::ModelDrafterOptions; 0: the whole text
  /// Drafts end where the text gets so long that they are not so many times as fast as plain decoding, as far
  /// as this machine's costs are known. Not a flag; 0: never.
  double least_speed_up = 0;
};

/// The settings as they are used, with all that they need loaded.
struct ResolvedSsd {
  SsdSettings settings;
  std::shared_ptr<const LoadedDraft> draft;
  draft::StopOptions stop;
  std::string label;  // that its classifier was trained on, where it has one
  draft::ModelDrafterOptions options;
  std::optional<double> speed_up;  // over plain decoding, where calibrated
  double step_share = 0;           // of a draft model's step in a pass over one row, likewise

  std::unique_ptr<draft::Drafter> new_drafter() const;
};

class Ssd : public DraftModelMethod<SsdSettings> {
 public:
  std::string name() const override { return "ssd"; }
  std::string summary() const override;
  /// What `prepare` prepares. @throws InputError likewise
  ResolvedSsd resolve(const MethodTarget& target) const;

 protected:
  void visit_own(SettingVisitor& visitor) override;
  OwnDrafters prepare_own(const MethodTarget& target) const override;
};

}  // namespace outrider::methods
