#include "calibrate/replay/replay_trial.h"

#include <cstdint>
#include <utility>

namespace outrider::calibrate {

cost::Trial trial_of(const Replay& replay, cost::SettingValues settings, cost::Shape shape) {
  cost::Trial trial;
  trial.settings = std::move(settings);
  trial.shape = shape;
  trial.rounds = replay.passes;
  trial.tokens = replay.tokens;
  trial.drafted = replay.drafted;
  for (const auto& [drafted, passes] : replay.passes_by_drafted)
    trial.verified.add(1 + drafted, static_cast<std::int32_t>(passes));
  return trial;
}

}  // namespace outrider::calibrate
