#include "runtime/methods/copier.h"

#include <memory>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/loaded_reference.h"
#include "runtime/methods/pld_plus_h.h"
#include "runtime/sampling/nearest_temperature.h"

namespace outrider::methods {
namespace {

/// The shortest n-gram that prompt lookup continues, and the tokens of a copy.
constexpr int kCopyNgram = 3;
constexpr int kCopyLength = 6;
/// The matches copied from a user's own texts: where fewer tokens match, a draft model is
/// accepted more often (results/references.md).
constexpr draft::WithReferenceOptions kCopyReference = {.shortest = 8, .least = 6};

}  // namespace

PreparedMethod::NewDrafter new_copier(const MethodTarget& target, const std::string& artifacts,
                                      const WrapSettings& settings) {
  if (!has_calibrated_lengths(target, artifacts)) {
    const draft::PldOptions options = {.draft_length = kCopyLength, .shortest = kCopyNgram};
    return with_reference(
        target, settings.reference, [options] { return std::make_unique<draft::Pld>(options); },
        kCopyReference);
  }
  PldPlusH copier;
  copier.settings.artifacts = artifacts;
  copier.settings.draft_length = 0;
  copier.settings.least_speed_up = *settings.copy_first.least_speed_up;
  copier.settings.of_reference = kCopyReference;
  copier.around.reference = settings.reference;
  copier.around.guard = settings.guard;
  return [prepared = copier.prepare(target)] { return prepared.new_drafter(); };
}

bool has_calibrated_lengths(const MethodTarget& target, const std::string& artifacts) {
  const auto known = known_artifacts(target, artifacts);
  const auto* file = known->with(artifacts::kPldPlusLayer);
  if (file == nullptr) return false;
  const draft::PldPlusLayer found =
      artifacts::read_pld_plus_layer(file->reader(), artifacts::kPldPlusLayer);
  return sampling::nearest_temperature(found.temperatures, target.temperature())
      .by_step.has_value();
}

}  // namespace outrider::methods
