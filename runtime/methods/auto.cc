#include "runtime/methods/auto.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/calibrated_copies.h"
#include "runtime/methods/calibrated_trials.h"
#include "runtime/methods/draft_model_settings.h"
#include "runtime/methods/list.h"
#include "runtime/methods/loaded_parallelspec.h"
#include "runtime/methods/parallelspec.h"
#include "runtime/methods/pld.h"
#include "runtime/methods/pld_plus_a.h"
#include "runtime/methods/pld_plus_h.h"
#include "runtime/methods/shared_settings.h"
#include "runtime/methods/ssd.h"
#include "runtime/methods/wrap_settings.h"

namespace outrider::methods {
namespace {

/// Tokens of a prompt that a draft model reads. Its drafts are accepted a little less often than after reading all,
/// but each token read takes about a hundredth of a pass (results/methods.md).
constexpr int kDraftWindow = 192;
/// Tokens of a lookup where nothing was calibrated: fastest at temperatures 0 and 1 (results/methods.md, "Lookups without
/// calibration").
constexpr int kLookupLength = 2;
/// Below it nothing is copied: predictions are off by some percent (as of kLeastDraftSpeedUp, but copies adapt to the text).
constexpr double kLeastCopySpeedUp = 1.03;

/// The weight of the draft model's predicted speed-up against the parallel drafter's: with copies before both, and on prompts
/// of other kinds than they were calibrated on, the draft model falls further below its prediction (results/methods.md, "What
/// constants of the default were chosen on").
constexpr double kWeightOfDraft = 0.85;

/// The method for a target.
class Choice {
 public:
  Choice(const AutoSettings& settings, const MethodTarget& target)
      : settings_(settings), target_(target) {}

  PreparedMethod prepare() const {
    const auto known = known_artifacts(target_, settings_.artifacts);
    // A copy is drafted first only where it is expected to be faster than the draft model, so that
    // copies alone are not expected to be faster than both.
    const double draft = draft_speed_up(*known), parallel = parallel_speed_up(*known);
    if (std::max(draft, parallel) >= kLeastDraftSpeedUp)
      return parallel >= kWeightOfDraft * draft ? prepare_parallelspec() : prepare_draft_model();
    const double by_states =
        copy_speed_up<PldPlusH>(*known, artifacts::kPldPlusLayer, artifacts::read_pld_plus_layer);
    const double by_attention =
        copy_speed_up<PldPlusA>(*known, artifacts::kPldPlusHeads, artifacts::read_pld_plus_heads);
    const double copies = std::max(by_states, by_attention);
    if (copies == 0) return prepare_lookup(PldSettings().shortest);
    if (copies < kLeastCopySpeedUp) return prepare_plain();
    return by_states >= by_attention ? prepare_copier<PldPlusH>() : prepare_copier<PldPlusA>();
  }

 private:
  std::string guard() const { return settings_.guard.empty() ? "on" : settings_.guard; }

  PreparedMethod prepare_draft_model() const {
    Ssd with_model;
    with_model.settings.draft_length = settings_.draft_length;
    with_model.settings.artifacts = settings_.artifacts;
    with_model.around.copy_first.on = true;
    with_model.around.reference = settings_.reference;
    with_model.settings.least_speed_up = kLeastDraftSpeedUp;
    with_model.settings.window = kDraftWindow;
    with_model.around.guard = guard();
    return with_model.prepare(target_);
  }

  PreparedMethod prepare_parallelspec() const {
    ParallelSpec eagle(draft::ParallelSpecModel::Flavour::kEagle, "");
    eagle.settings.draft_length = settings_.draft_length;
    eagle.settings.artifacts = settings_.artifacts;
    eagle.around.copy_first.on = true;
    eagle.around.reference = settings_.reference;
    eagle.around.guard = guard();
    return eagle.prepare(target_);
  }

  template <typename Copier>
  PreparedMethod prepare_copier() const {
    Copier copier;
    copier.settings.draft_length = settings_.draft_length;
    copier.around.reference = settings_.reference;
    copier.around.guard = guard();
    copier.settings.artifacts = settings_.artifacts;
    return copier.prepare(target_);
  }

  PreparedMethod prepare_lookup(int shortest) const {
    Pld lookup;
    lookup.settings.draft_length = settings_.draft_length.value_or(kLookupLength);
    lookup.around.reference = settings_.reference;
    lookup.around.guard = guard();
    lookup.settings.shortest = shortest;
    lookup.settings.artifacts = settings_.artifacts;
    return lookup.prepare(target_);
  }

  /// The method where drafts are not faster: prompt lookup of matches as long as a reference needs, or
  /// `ar` without a reference.
  PreparedMethod prepare_plain() const {
    if (settings_.reference.empty()) return new_method("ar")->prepare(target_);
    return prepare_lookup(draft::WithReferenceOptions().shortest);
  }

  /// Speed-up of the artifacts' draft model over plain decoding; 0 if this machine's costs are not
  /// known.
  double draft_speed_up(const artifacts::ArtifactSet& known) const {
    const artifacts::ArtifactFile* file = known.with(artifacts::kDraft);
    if (file == nullptr || settings_.draft_length == 0) return 0;
    Ssd rounds;
    const auto found = find_calibrated_trials(
        target_,
        draft_model_to_find(target_, rounds.name(), file->reader().name(), settings_.artifacts));
    if (!found || !found->this_machine) return 0;
    return found->tried.speed_up(*found->best(rounds));
  }

  /// The same of the artifacts' parallel drafter of EAGLE's flavour.
  double parallel_speed_up(const artifacts::ArtifactSet& known) const {
    constexpr auto kEagle = draft::ParallelSpecModel::Flavour::kEagle;
    const artifacts::ArtifactFile* file = known.with(artifacts::parallelspec_group(kEagle));
    if (file == nullptr || settings_.draft_length == 0) return 0;
    const auto found = find_calibrated_trials(
        target_, parallelspec_to_find(target_, kEagle, file->reader().name(), settings_.artifacts));
    if (!found || !found->this_machine) return 0;
    ParallelSpec eagle(kEagle, "");
    return found->tried.speed_up(*found->best(eagle));
  }

  /// Speed-up of copies alone, by what calibration found and this machine's costs; 0: nothing was
  /// found.
  /// @param read  the reader of the group in runtime/artifacts
  template <typename Copier, typename Read>
  double copy_speed_up(const artifacts::ArtifactSet& known, const char* group,
                       const Read& read) const {
    const artifacts::ArtifactFile* file = known.with(group);
    if (file == nullptr) return 0;
    Copier copier;
    return CalibratedCopies::of(target_, copier.name(), settings_.artifacts,
                                read(file->reader(), group))
        .speed_up(copier);
  }

  const AutoSettings& settings_;
  const MethodTarget& target_;
};

}  // namespace

std::string Auto::summary() const {
  return fmt::format(
      "the method that is fastest on this machine by what calibration found at the temperature: "
      "ssd with --copy-first and --draft-window {}, or parallelspec-eagle with --copy-first, the "
      "faster, if its drafter is faster than plain decoding, else pld-plus-h, pld-plus-a or, if no "
      "drafts are, ar; pld with drafts of {}, paused where they lose, if nothing was calibrated",
      kDraftWindow, kLookupLength);
}

void Auto::visit(SettingVisitor& visitor) {
  visit_draft_length(visitor, settings.draft_length, "as the method chosen has it");
  visit_reference(visitor, settings.reference);
  visit_guard(visitor, settings.guard, "without this flag on");
  visit_artifacts(visitor, settings.artifacts);
}

void Auto::copy_whole() { settings.draft_length = settings.draft_length.value_or(kDraftLength); }

PreparedMethod Auto::prepare(const MethodTarget& target) const {
  return Choice(settings, target).prepare();
}

std::unique_ptr<Method> new_auto() { return std::make_unique<Auto>(); }

}  // namespace outrider::methods
