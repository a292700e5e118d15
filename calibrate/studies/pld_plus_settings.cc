#include "calibrate/studies/pld_plus_settings.h"

#include <fmt/core.h>

#include "calibrate/cost/pass_costs.h"
#include "calibrate/pld_plus/choose_lengths.h"
#include "calibrate/pld_plus/choose_settings.h"

namespace outrider::calibrate {

std::vector<draft::PldPlusSettings> find_settings(const engine::Engine& target,
                                                  const std::vector<Answer>& answers,
                                                  const std::vector<double>& thresholds,
                                                  const artifacts::ArtifactSet& known,
                                                  const CopyTable& table) {
  const int context = usual_context(target, answers);
  const PassCosts costs = pass_costs(target, known, 1 + copied_draft_lengths().back(), context);
  const cost::PassSeconds pass_seconds = [&](int rows) {
    return costs.model.seconds({cost::Shape::kChain, rows, context});
  };
  std::vector<draft::PldPlusSettings> all;
  const auto tables = table.by_temperature();
  for (const auto& [temperature, answered] : tables) {
    const CopyTable& of_these = answered;
    const auto replay = [&](int draft_length, double threshold) {
      return of_these.replay(0, {draft_length, threshold});
    };
    draft::PldPlusSettings settings = choose_settings(replay, thresholds, pass_seconds);
    settings.temperature = temperature;
    settings.context = context;
    settings.by_step = choose_lengths(of_these, thresholds, settings.draft_length, pass_seconds);
    if (!settings.by_step)
      settings.by_step = choose_lengths(table, thresholds, settings.draft_length, pass_seconds);
    if (settings.by_step)
      settings.by_step->machine =
          fmt::format("{}, {}", target.place().name, target.place().workers_text(target.workers()));
    all.push_back(std::move(settings));
  }
  return all;
}

}  // namespace outrider::calibrate
