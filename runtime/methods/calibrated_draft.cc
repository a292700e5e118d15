#include "runtime/methods/calibrated_draft.h"

#include <filesystem>

#include "runtime/artifacts/draft_settings.h"
#include "runtime/methods/draft_model_search.h"
#include "runtime/methods/machine_costs.h"

namespace outrider::methods {
namespace {

void take_times(const cost::TimedSteps& steps, cost::MachineDraftSettings& all) {
  all.draft_seconds = steps.draft_seconds;
  all.pass_seconds = steps.target_seconds;
}

}  // namespace

std::optional<CalibratedDraft> find_calibrated_draft(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts) {
  if (std::filesystem::path(draft).extension() != ".h5") return std::nullopt;
  DraftModelSearch search(target, draft, artifacts);
  const auto stored =
      search.find(artifacts::kDraftSettings, artifacts::read_draft_settings,
                  [&](const cost::MachineDraftSettings& one) {
                    return one.nearest(target.temperature()).best().drafted_per_round;
                  });
  if (!stored) return std::nullopt;
  CalibratedDraft found = {stored->settings, stored->this_machine, stored->file, {}};
  // This machine's speeds, as far as its costs are known.
  const bool timed = search.has_times_of_engine(*stored);
  if (!timed && target.quick_costs() == nullptr) return found;
  const auto passes = machine_costs(target, search.known());
  if (!passes) return found;
  cost::MachineDraftSettings& all = found.settings;
  if (!timed) take_times(search.time_steps(all), all);
  found.this_machine = true;
  found.prices = {*passes, all.context, all.c()};
  for (cost::DraftSettings& one : all.by_temperature) one = cost::priced(one, *found.prices);
  return found;
}

}  // namespace outrider::methods
