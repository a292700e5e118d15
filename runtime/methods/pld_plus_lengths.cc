#include "runtime/methods/pld_plus_lengths.h"

#include <memory>

#include "runtime/methods/machine_costs.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {
void PldPlusLengths::take(const std::vector<draft::PldPlusSettings>& all, bool same_scores,
                          const artifacts::ArtifactSet& known, const MethodTarget& target) {
  if (draft_length.value_or(0) > 0 && (threshold || !same_scores)) return;
  const auto costs = machine_costs(target, known);
  const draft::PldPlusSettings found = settings_here(all, target.temperature(), costs);
  const bool there = found.by_step && same_scores;
  if (there && draft_length.value_or(found.by_step->is_faster() ? 0 : 1) == 0) {
    draft_length = 0;
    const std::vector<draft::LengthCosts> by_text =
        costs ? length_costs(*costs, found.by_step->longest(), target.model().config.context)
              : std::vector{draft::LengthCosts{0, found.by_step->seconds}};
    by_step = std::make_shared<draft::DraftLengths>(*found.by_step, by_text, found.draft_length,
                                                    least_speed_up);
    return;
  }
  draft_length = draft_length.value_or(found.draft_length);
  if (same_scores) threshold = threshold.value_or(found.threshold);
}

void PldPlusLengths::resolve() {
  if (by_step == nullptr) resolve_fixed_length(draft_length);
}

}  // namespace outrider::methods
