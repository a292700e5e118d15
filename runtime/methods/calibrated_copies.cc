#include "runtime/methods/calibrated_copies.h"

#include <memory>

#include "runtime/methods/machine_costs.h"
#include "runtime/methods/shared_settings.h"
#include "runtime/sampling/nearest_temperature.h"

namespace outrider::methods {

CalibratedCopies CalibratedCopies::find(
    const MethodTarget& target, const std::string& method, const std::string& artifacts,
    const std::string& choice, const std::vector<draft::PldPlusTemperature>& temperatures) {
  return {find_calibrated_trials(
              target,
              {.method = method, .identity = [&choice] { return choice; }, .artifacts = artifacts}),
          sampling::nearest_temperature(temperatures, target.temperature()).by_step};
}

double CalibratedCopies::speed_up(Method& method) const {
  if (!trials) return 0;
  // Lengths by step were compared on half of the answers only, so what they gain is a ratio.
  return trials->tried.speed_up(*trials->best(method)) * (by_step ? by_step->gain() : 1);
}

draft::DraftLengthsPtr CalibratedCopies::take(const MethodTarget& target, Method& method,
                                              std::optional<int>& draft_length,
                                              double least_speed_up) const {
  const bool each_step = by_step && draft_length.value_or(by_step->is_faster() ? 0 : 1) == 0;
  if (each_step) draft_length.reset();  // no trial is of it
  const cost::Trial* const best = trials ? trials->best(method) : nullptr;
  if (each_step) {
    draft_length = 0;
    const std::vector<draft::LengthCosts> by_text =
        trials && trials->this_machine
            ? length_costs(trials->passes, by_step->longest(), target.model().config.context)
            : std::vector{draft::LengthCosts{0, by_step->seconds}};
    const int otherwise = best == nullptr
                              ? by_step->otherwise
                              : static_cast<int>(cost::number_of(best->settings, "draft-length"));
    return std::make_shared<draft::DraftLengths>(*by_step, by_text, otherwise, least_speed_up);
  }
  if (best != nullptr) trials->fill(method, *best);
  resolve_fixed_length(draft_length);
  return nullptr;
}

}  // namespace outrider::methods
