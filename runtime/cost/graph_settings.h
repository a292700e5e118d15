#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/cost/calibrated_pair.h"
#include "runtime/cost/graph_trial.h"
#include "runtime/cost/trial_prices.h"

namespace outrider::cost {

/// Values asked for: the settings tried with the nearest values are chosen from.
struct RequestedGraphSetting {
  std::optional<int> children = {}, tau = {}, steps = {}, nodes = {};
  std::optional<double> probability = {}, sibling = {}, path = {};
};

/// The settings that were tried at one temperature.
struct GraphSettings {
  double temperature = 0;
  std::int64_t positions = 0;  // of texts, where trees were recorded
  std::int64_t cut = 0;        // trees that reached the limit of nodes
  double plain_tokens_per_second = 0;
  std::vector<GraphTrial> trials;  // at least one of each method

  /// The fastest of a method, or of the settings with as many children and nodes one that is hardly slower and has fewer
  /// thresholds; on a tie the first. Those whose recorded trees were cut too often only where there are no others.
  /// @param merges  whether of graphs, else of trees; chains are both
  const GraphTrial& best(bool merges, const RequestedGraphSetting& requested = {}) const;
  void price(const TrialPrices& prices);
  /// What a setting gave, if it was kept.
  const GraphTrial* trial_of(const GraphSetting& setting) const;
};

/// The settings for one machine and draft model.
struct MachineGraphSettings : CalibratedPasses {
  std::vector<GraphSettings> by_temperature;  // ascending; at least one

  const GraphSettings& nearest(double temperature) const;
};

}  // namespace outrider::cost
