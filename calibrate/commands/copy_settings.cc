#include "calibrate/commands/copy_settings.h"

#include <fmt/core.h>

#include "calibrate/commands/pass_costs.h"

namespace outrider::calibrate {

artifacts::CopySettings find_settings(const engine::Engine& target,
                                      const std::vector<Answer>& answers,
                                      const std::vector<double>& thresholds,
                                      const ReplaySetting& replay) {
  const int context = usual_context(target, answers);
  const CostModel model =
      time_passes(target, {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 24, 32, 48, 72, 101}, context);
  artifacts::CopySettings settings = choose_settings(replay, thresholds, [&](int rows) {
    return model.seconds({Shape::kChain, rows, context});
  });
  settings.context = context;
  return settings;
}

}  // namespace outrider::calibrate
