#include "runtime/cost/stop_trials.h"

#include "runtime/base/math.h"

namespace outrider::cost {
namespace {

/// @param settings  of the rounds but for their length
void try_lengths(std::span<const DraftedText> texts, bool of_sum, SettingValues settings,
                 int longest, std::vector<Trial>& tried) {
  for (int length = 1; length <= longest; ++length) {
    settings["draft-length"] = static_cast<double>(length);
    Trial& trial = tried.emplace_back();
    trial.settings = settings;
    static_cast<TrialCounts&>(trial) = count_rounds(texts, end_of(trial, of_sum));
  }
}

}  // namespace

std::vector<Trial> try_stops(std::span<const DraftedText> texts, const ThresholdPolicy& policy,
                             int longest) {
  std::vector<Trial> tried;
  if (policy.name.empty()) try_lengths(texts, false, {{"draft-stop", "static"}}, longest, tried);
  for (const double threshold : policy.thresholds)
    try_lengths(texts, policy.of_sum, {{"draft-stop", policy.name}, {"draft-threshold", threshold}},
                longest, tried);
  return tried;
}

RoundEnd end_of(const Trial& trial, bool of_sum) {
  return {static_cast<int>(number_of(trial.settings, "draft-length")),
          math::log(number_of(trial.settings, "draft-threshold")), of_sum};
}

}  // namespace outrider::cost
