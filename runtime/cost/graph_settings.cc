#include "runtime/cost/graph_settings.h"

#include <algorithm>
#include <stdexcept>

#include "runtime/cost/nearest_trials.h"
#include "runtime/sampling/nearest_temperature.h"

namespace outrider::cost {
namespace {

using Trials = std::vector<const GraphTrial*>;

/// Whether few of its rounds, at most one in 50, ended where a recorded tree was cut.
bool is_known(const GraphTrial* trial) { return 50 * trial->lacking <= trial->rounds; }

/// Leaves the graphs that are merged after the nearest run to the requested one. Chains never are, and stay.
void keep_nearest_run(Trials& trials, const std::optional<int>& requested) {
  Trials graphs;
  for (const GraphTrial* one : trials)
    if (one->setting.children > 1) graphs.push_back(one);
  if (graphs.empty()) return;
  keep_nearest(graphs, requested, [](const GraphSetting& one) { return one.tau; });
  std::erase_if(trials, [](const GraphTrial* one) { return one->setting.children > 1; });
  trials.insert(trials.end(), graphs.begin(), graphs.end());
}

int thresholds(const GraphTrial& trial) {
  const auto& pruning = trial.setting.pruning;
  return (pruning.probability > 0) + (pruning.sibling > 0) + (pruning.path > 0);
}

}  // namespace

const GraphTrial& GraphSettings::best(bool merges, const RequestedGraphSetting& requested) const {
  Trials left;
  for (const GraphTrial& trial : trials)
    if (trial.setting.children == 1 || (trial.setting.tau > 0) == merges) left.push_back(&trial);
  if (std::any_of(left.begin(), left.end(), is_known))
    std::erase_if(left, [](const GraphTrial* one) { return !is_known(one); });
  if (left.empty()) throw std::logic_error("GraphSettings: no setting of a method");
  keep_nearest(left, requested.children, [](const GraphSetting& one) { return one.children; });
  if (merges) keep_nearest_run(left, requested.tau);
  keep_nearest(left, requested.nodes, [](const GraphSetting& one) { return one.nodes; });
  keep_nearest(left, requested.steps, [](const GraphSetting& one) { return one.steps; });
  keep_nearest(left, requested.probability,
               [](const GraphSetting& one) { return one.pruning.probability; });
  keep_nearest(left, requested.sibling,
               [](const GraphSetting& one) { return one.pruning.sibling; });
  keep_nearest(left, requested.path, [](const GraphSetting& one) { return one.pruning.path; });
  const GraphSetting& fastest = fastest_of(left)->setting;
  std::erase_if(left, [&](const GraphTrial* one) {
    return one->setting.children != fastest.children || one->setting.nodes != fastest.nodes;
  });
  // A threshold that gains nothing on the texts of the calibration is likely to lose on others.
  return *cheapest_of_fastest(left, thresholds);
}

void GraphSettings::price(const TrialPrices& prices) {
  plain_tokens_per_second = 1 / prices.plain_seconds();
  for (GraphTrial& trial : trials)
    trial.tokens_per_second = prices.speed(trial, trial.setting.shape());
}

const GraphTrial* GraphSettings::trial_of(const GraphSetting& setting) const {
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const GraphTrial& trial) {
    return trial.setting == setting;
  });
  return found == trials.end() ? nullptr : &*found;
}

const GraphSettings& MachineGraphSettings::nearest(double temperature) const {
  return sampling::nearest_temperature(by_temperature, temperature);
}

}  // namespace outrider::cost
