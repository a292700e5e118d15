#include "runtime/methods/copy_first.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/pld_plus.h"
#include "runtime/base/error.h"
#include "runtime/draft/copy/pld.h"
#include "runtime/draft/copy_first.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/loaded_reference.h"
#include "runtime/methods/pld_plus_h.h"
#include "runtime/sampling/nearest_temperature.h"

namespace outrider::methods {
namespace {

/// The least speed-up of a copy where no draft model was timed.
constexpr double kDefaultCopySpeedUp = 1.5;
/// The shortest n-gram that prompt lookup continues, and the tokens of a copy.
constexpr int kCopyNgram = 3;
constexpr int kCopyLength = 6;
/// The matches copied from a user's own texts: where fewer tokens match, the draft model is
/// accepted more often (results/references.md).
constexpr draft::WithReferenceOptions kCopyReference = {.shortest = 8, .least = 6};

PreparedMethod::NewDrafter new_copier(const MethodTarget& target, const std::string& artifacts,
                                      const CopyFirstSettings& settings, const std::string& guard) {
  if (!has_calibrated_lengths(target, artifacts)) {
    const draft::PldOptions options = {.draft_length = kCopyLength, .shortest = kCopyNgram};
    return with_reference(
        target, settings.reference, [options] { return std::make_unique<draft::Pld>(options); },
        kCopyReference);
  }
  PldPlusH copier;
  copier.settings.artifacts = artifacts;
  copier.settings.draft_length = 0;
  copier.settings.least_speed_up = *settings.least_speed_up;
  copier.settings.reference = settings.reference;
  copier.settings.of_reference = kCopyReference;
  copier.settings.guard = guard;
  return [prepared = copier.prepare(target)] { return prepared.new_drafter(); };
}

}  // namespace

bool has_calibrated_lengths(const MethodTarget& target, const std::string& artifacts) {
  const auto known = known_artifacts(target, artifacts);
  const auto* file = known->with(artifacts::kPldPlusLayer);
  if (file == nullptr) return false;
  const draft::PldPlusLayer found =
      artifacts::read_pld_plus_layer(file->reader(), artifacts::kPldPlusLayer);
  return sampling::nearest_temperature(found.settings, target.temperature()).by_step.has_value();
}

PreparedMethod::NewDrafter copy_first(const MethodTarget& target, const std::string& artifacts,
                                      std::optional<double> speed_up, DraftModelSettings& use,
                                      const std::string& guard, PreparedMethod::NewDrafter model) {
  auto& [on, least_speed_up, reference] = use.copy_first;
  if (least_speed_up && !on) throw InputError("--copy-min-speed-up: only with --copy-first");
  if (!reference.empty() && !on)
    throw InputError(
        "--reference: only with --copy-first, since a draft model alone copies nothing");
  least_speed_up = least_speed_up.value_or(std::max(1.0, speed_up.value_or(kDefaultCopySpeedUp)));
  if (!on) return model;
  if (use.verify == "rejection")
    throw InputError(
        "--copy-first: not with --verify rejection, since copies are not drawn from a "
        "distribution; expected --verify coupled");
  return [copier = new_copier(target, artifacts, use.copy_first, guard),
          model = std::move(model)]() -> std::unique_ptr<draft::Drafter> {
    return std::make_unique<draft::CopyFirst>(copier(), model());
  };
}

}  // namespace outrider::methods
