#include "calibrate/pld_plus/try_lengths.h"

#include <utility>

#include "calibrate/replay/replay_trial.h"

namespace outrider::calibrate {

std::vector<int> copied_draft_lengths() {
  return {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 70, 100};
}

std::vector<cost::Trial> try_lengths(const ReplaySetting& replay,
                                     const std::vector<double>& thresholds) {
  std::vector<cost::Trial> tried;
  const auto add = [&](const Replay& found, cost::SettingValues settings) {
    tried.push_back(trial_of(found, std::move(settings), cost::Shape::kChain));
  };
  for (const int length : copied_draft_lengths()) {
    const cost::SettingValues of_length = {{"draft-length", static_cast<double>(length)}};
    if (thresholds.empty()) add(replay(length, -1), of_length);
    for (const double threshold : thresholds) {
      cost::SettingValues settings = of_length;
      settings["threshold"] = threshold;
      add(replay(length, threshold), std::move(settings));
    }
  }
  return tried;
}

}  // namespace outrider::calibrate
