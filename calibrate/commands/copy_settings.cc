#include "calibrate/commands/copy_settings.h"

#include <fmt/core.h>

#include "calibrate/commands/pass_costs.h"

namespace outrider::calibrate {

artifacts::CopySettings find_settings(const engine::Engine& target,
                                      const std::vector<Answer>& answers,
                                      const std::vector<double>& thresholds,
                                      const std::filesystem::path& artifact,
                                      const ReplaySetting& replay) {
  const int context = usual_context(target, answers);
  const PassCosts costs = pass_costs(target, artifact, 1 + copied_draft_lengths().back(), context);
  artifacts::CopySettings settings = choose_settings(replay, thresholds, [&](int rows) {
    return costs.model.seconds({Shape::kChain, rows, context});
  });
  settings.context = context;
  return settings;
}

}  // namespace outrider::calibrate
