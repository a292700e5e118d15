#include "train/disco/round_prices.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/cost/statistics.h"
#include "runtime/cost/time_steps.h"

namespace outrider::train {
namespace {

/// Times passes of as many rows as the longest round has, and of some numbers between.
cost::CostModel time_passes(engine::Engine& engine, int context) {
  constexpr int kRounds = 9;
  cost::PassTimer timer(engine);
  std::vector<cost::TimedPass> passes;
  for (const int rows : {1, 2, 3, 4, 5, 7, 9, 13, 17}) {
    std::vector<double> seconds;
    for (int round = 0; round < kRounds; ++round) seconds.push_back(timer.seconds(context, rows));
    const double median = cost::spread_of(std::move(seconds)).median;
    for (const auto shape : {cost::Shape::kChain, cost::Shape::kTree})
      passes.push_back({{shape, rows, context}, median});
  }
  return cost::CostModel(passes);
}

}  // namespace

cost::TrialPrices round_prices(const methods::MethodTarget& target,
                               const std::string& artifact_file,
                               const std::optional<methods::CalibratedTrials>& calibrated,
                               const std::shared_ptr<const methods::LoadedDraft>& draft) {
  constexpr int kUsualContext = 300;
  if (calibrated && calibrated->this_machine)
    return cost::TrialPrices::at(calibrated->tried.temperature, calibrated->passes,
                                 calibrated->context, calibrated->drafting);
  engine::Engine& engine = target.engine();
  const artifacts::ArtifactSet known(target.identity(), artifact_file, target.folders());
  const int context =
      std::clamp(target.model().config.context - cost::PassTimer::kMostRows, 1, kUsualContext);
  auto model = artifacts::measured_cost(known, engine);
  if (!model) model = time_passes(engine, context);
  const cost::StepTimes steps =
      cost::time_steps(engine, {engine_of(draft), draft->model->head_tokens}, context);
  return {*model, context, {1}, {steps.draft.median / steps.target.median}};
}

cost::TrialPrices prices_of_ratio(double ratio) {
  const cost::CostModel passes({{{cost::Shape::kChain, 1, 0}, 1}, {{cost::Shape::kTree, 1, 0}, 1}});
  return {passes, 0, {1}, {ratio}};
}

}  // namespace outrider::train
