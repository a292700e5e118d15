#include "runtime/methods/ssd.h"

#include <algorithm>
#include <cmath>

#include "runtime/draft/model/model_drafter.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/methods/calibrated_draft.h"
#include "runtime/methods/loaded_draft.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {
namespace {

/// That of Hugging Face's assisted generation.
constexpr double kDraftThreshold = 0.4;

/// @param tried  at least one
template <typename T>
T nearest_tried(const std::vector<T>& tried, double given) {
  return *std::min_element(tried.begin(), tried.end(), [given](T one, T other) {
    return std::abs(one - given) < std::abs(other - given);
  });
}

/// The fastest of the rounds tried that have the given settings; of a given number the nearest one that was
/// tried. Nothing for a policy that was not tried.
std::optional<cost::DraftSettings::Cell> fastest_rounds(const cost::DraftSettings& tried,
                                                        const SsdSettings& given) {
  std::vector<double> thresholds = tried.thresholds;
  std::erase(thresholds, 0);
  std::optional<cost::DraftSettings::Cell> fastest;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const auto cell = tried.cell(i);
    const bool fixed = cell.threshold == 0;
    if (!given.stop.empty() && given.stop != (fixed ? "static" : "confidence")) continue;
    if (given.draft_length &&
        cell.draft_length != nearest_tried(tried.draft_lengths, *given.draft_length))
      continue;
    if (given.threshold && !fixed && cell.threshold != nearest_tried(thresholds, *given.threshold))
      continue;
    if (!fastest || cell.tokens_per_second > fastest->tokens_per_second) fastest = cell;
  }
  return fastest;
}

/// Gives settings without a value those of calibration. A number of threads says little of other machines.
void take_calibrated(const CalibratedDraft& found, double temperature, SsdSettings& use) {
  const cost::MachineDraftSettings& all = found.settings;
  if (const auto rounds = fastest_rounds(all.nearest(temperature), use)) {
    use.stop = rounds->threshold > 0 ? "confidence" : "static";
    use.draft_length = use.draft_length.value_or(rounds->draft_length);
    if (rounds->threshold > 0) use.threshold = use.threshold.value_or(rounds->threshold);
  }
  if (found.this_machine && all.draft_threads < all.threads)
    use.draft_threads = use.draft_threads.value_or(all.draft_threads);
}

}  // namespace

std::string Ssd::summary() const { return "a draft model, token by token"; }

void Ssd::visit(SettingVisitor& visitor) {
  visit_draft(visitor, settings.draft);
  visit_draft_length(visitor, settings.draft_length);
  visitor.text(
      {"draft-stop",
       "when drafting stops before --draft-length: static (never), confidence (after a token whose "
       "probability is below --draft-threshold), heuristic (2 tokens later after a draft that was "
       "accepted as a whole, 1 sooner after any other); without this flag what `calibrate draft` "
       "found, or static"},
      draft::stop_policy_names(), settings.stop);
  visit_draft_threshold(visitor, settings.threshold);
  visit_draft_threads(visitor, settings.draft_threads);
  visit_verify(visitor, settings.verify);
  visit_artifacts(visitor, settings.artifacts);
}

PreparedMethod Ssd::prepare(const MethodTarget& target) const {
  Ssd resolved = *this;
  SsdSettings& use = resolved.settings;
  find_draft(target, use.draft, use.artifacts);
  // Of the setting as given: settings can be in another file than the draft model.
  if (const auto found = find_calibrated_draft(target, use.draft, settings.artifacts)) {
    take_calibrated(*found, target.temperature(), use);
    use.artifacts = found->file;
  }
  if (use.stop.empty()) use.stop = "static";
  use.draft_length = use.draft_length.value_or(use.stop == "static" ? kSsdLength : kSsdLongest);
  resolve_fixed_length(use.draft_length);
  use.threshold = use.threshold.value_or(kDraftThreshold);
  const auto loaded = load_draft(target, use.draft, use.artifacts, use.draft_threads);
  const draft::StopOptions stop = {use.stop, *use.draft_length, *use.threshold};
  const draft::ModelDrafterOptions options = {.longest = *use.draft_length,
                                              .verification = use.verify == "rejection"
                                                                  ? draft::Verification::kRejection
                                                                  : draft::Verification::kCoupled,
                                              .target_vocab = target.model().config.vocab,
                                              .head_tokens = loaded->model->head_tokens};
  return {resolved, [engine = engine_of(loaded), stop, options] {
            return std::make_unique<draft::ModelDrafter>(engine, draft::make_stop_policy(stop),
                                                         options);
          }};
}

std::unique_ptr<Method> new_ssd() { return std::make_unique<Ssd>(); }

}  // namespace outrider::methods
