#include "runtime/methods/pld_plus_h.h"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/base/error.h"
#include "runtime/draft/copy/pld_plus_h_drafter.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/calibrated_copies.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {

std::string PldPlusH::summary() const {
  return "copies from the position with the most similar hidden state of the target";
}

void PldPlusH::visit_own(SettingVisitor& visitor) {
  visit_draft_length(visitor, settings.draft_length, kLengthHelp);
  visitor.whole({"layer",
                 "the layer whose hidden states are compared; 0: the embedding; without this flag "
                 "the artifact's"},
                {0, 9999}, settings.layer);
  visitor.real({"threshold",
                "no draft below this cosine; -1: always a draft; without this flag the artifact's, "
                "with its layer, or none"},
               {-1, 1}, settings.threshold);
  visitor.real({"logit-weight",
                "weight of a bonus to a source's cosine: the logit that the row before the last "
                "token gave to the first copied token; 0: the cosine alone, as published; without "
                "this flag the artifact's, with its layer, or 0"},
               {0, draft::kMostLogitWeight}, settings.logit_weight);
  visit_branches(visitor, settings.branches);
}

void PldPlusH::copy_whole() {
  settings.draft_length = settings.draft_length.value_or(kDraftLength);
  settings.threshold = settings.threshold.value_or(-1);
}

OwnDrafters PldPlusH::prepare_own(const MethodTarget& target) const {
  auto resolved = std::make_unique<PldPlusH>(*this);
  PldPlusHSettings& use = resolved->settings;
  const Calibrated calibrated =
      find_calibrated(target, use.artifacts, artifacts::kPldPlusLayer, "calibrate layer");
  if (!use.layer && calibrated.file == nullptr)
    throw InputError(
        fmt::format("--layer: expected with --method pld-plus-h, or --artifacts FILE with the "
                    "results of `calibrate layer -m {}`",
                    target.model().path.string()));
  CalibratedCopies known;
  if (calibrated.file != nullptr) {
    const draft::PldPlusLayer found =
        artifacts::read_pld_plus_layer(calibrated.file->reader(), artifacts::kPldPlusLayer);
    use.layer = use.layer.value_or(found.chosen);
    // Scores are cosines, whatever the weight; of another layer's a threshold says nothing.
    const bool same_states = *use.layer == found.chosen;
    if (same_states) use.logit_weight = use.logit_weight.value_or(found.logit_weight);
    if (!same_states) use.threshold = use.threshold.value_or(-1);
    if (use.draft_length.value_or(0) == 0 || !use.threshold)
      known = CalibratedCopies::of(target, name(), settings.artifacts, found);
    if (!same_states) known.by_step.reset();
  }
  const int layers = target.model().config.layers;
  if (*use.layer > layers)
    throw InputError(
        fmt::format("--layer: expected 0 to {}, the model's last, found {}", layers, *use.layer));
  const draft::DraftLengthsPtr lengths =
      known.take(target, *resolved, use.draft_length, use.least_speed_up);
  use.threshold = use.threshold.value_or(-1);
  use.logit_weight = use.logit_weight.value_or(0);
  const draft::PldPlusHOptions options = {.layer = *use.layer,
                                          .draft_length = *use.draft_length,
                                          .threshold = *use.threshold,
                                          .branches = use.branches,
                                          .lengths = lengths,
                                          .logit_weight = *use.logit_weight,
                                          .width = target.model().config.width};
  return {.resolved = std::move(resolved),
          .new_drafter = [options] { return std::make_unique<draft::PldPlusH>(options); },
          .artifacts = use.artifacts,
          .reference = use.of_reference};
}

std::unique_ptr<Method> new_pld_plus_h() { return std::make_unique<PldPlusH>(); }

}  // namespace outrider::methods
