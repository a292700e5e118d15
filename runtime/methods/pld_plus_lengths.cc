#include "runtime/methods/pld_plus_lengths.h"

#include <memory>

#include "runtime/artifacts/cost.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {
namespace {

/// [1 + longest] What passes of 1, 2, … rows cost.
std::vector<double> pass_seconds(const draft::PldPlusSettings& found,
                                 const artifacts::ArtifactSet& known,
                                 const engine::Engine& engine) {
  const auto here = artifacts::measured_cost(known, engine);
  if (!here) return found.by_step->seconds;
  std::vector<double> seconds;
  for (int rows = 1; rows <= 1 + found.by_step->longest(); ++rows)
    seconds.push_back(here->seconds({cost::Shape::kChain, rows, found.context}));
  return seconds;
}

}  // namespace

void PldPlusLengths::take(const std::vector<draft::PldPlusSettings>& all, bool same_scores,
                          const artifacts::ArtifactSet& known, const MethodTarget& target) {
  const auto& found = draft::nearest_settings(all, target.temperature());
  const bool there = found.by_step && same_scores;
  if (there && draft_length.value_or(found.by_step->is_faster() ? 0 : 1) == 0) {
    draft_length = 0;
    by_step = std::make_shared<draft::DraftLengths>(
        *found.by_step, pass_seconds(found, known, target.engine()), found.draft_length, trust);
    return;
  }
  draft_length = draft_length.value_or(found.draft_length);
  if (same_scores) threshold = threshold.value_or(found.threshold);
}

void PldPlusLengths::resolve() {
  if (by_step == nullptr) resolve_fixed_length(draft_length);
}

}  // namespace outrider::methods
