#include "runtime/cost/tree_settings.h"

#include "runtime/cost/nearest_trials.h"
#include "runtime/sampling/nearest_temperature.h"

namespace outrider::cost {

const TreeTrial* TreeSettings::best(const RequestedTree& requested) const {
  std::vector<const TreeTrial*> left;
  for (const TreeTrial& trial : trials)
    if (!requested.widths || (trial.setting.widths == *requested.widths &&
                              trial.setting.best_nodes == requested.best_nodes))
      left.push_back(&trial);
  if (left.empty()) return nullptr;
  keep_nearest(left, requested.length, [](const draft::LevelShape& one) { return one.length; });
  keep_nearest(left, requested.threshold,
               [](const draft::LevelShape& one) { return one.threshold; });
  // Where memory is faster than when passes were timed, further rows cost more of a pass.
  return cheapest_of_fastest(left, [](const TreeTrial& one) { return one.drafted_per_round(); });
}

TrialPrices with_choices(TrialPrices prices, double choice_share) {
  for (std::size_t i = 0; i < prices.rows.size(); ++i)
    prices.shares[i] += choice_share * (prices.rows[i] - 1);
  return prices;
}

void TreeSettings::price(const TrialPrices& of_passes) {
  const TrialPrices prices = with_choices(of_passes, choice_share);
  plain_tokens_per_second = 1 / prices.plain_seconds();
  for (TreeTrial& trial : trials) trial.tokens_per_second = prices.speed(trial, trial.shape());
}

const TreeSettings& MachineTreeSettings::nearest(double temperature) const {
  return sampling::nearest_temperature(by_temperature, temperature);
}

}  // namespace outrider::cost
