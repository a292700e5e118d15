#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/cost/calibrated_pair.h"
#include "runtime/cost/cost_model.h"
#include "runtime/cost/pass_rows.h"
#include "runtime/draft/graph/pruning.h"

namespace outrider::cost {

/// How trees and graphs of a draft model are drafted (Gong et al. 2024). With one child a node it is a chain.
struct GraphSetting {
  int children = 1;  // k
  draft::Pruning pruning = {};
  int tau = 0;  // 0: nothing is merged
  int steps = 1;
  int nodes = 1;

  bool operator==(const GraphSetting&) const = default;
  bool operator<(const GraphSetting& other) const { return key() < other.key(); }

 private:
  std::tuple<int, double, double, double, int, int, int> key() const {
    return {children, pruning.probability, pruning.sibling, pruning.path, tau, steps, nodes};
  }
};

/// The rounds with one setting: they depend on the texts and the two models only.
struct GraphTrial {
  GraphSetting setting;
  std::int64_t rounds = 0;
  std::int64_t tokens = 0;   // that they added to the texts, the target's own included
  std::int64_t drafted = 0;  // nodes
  std::int64_t merged = 0;   // of them
  std::int64_t copies = 0;   // accepted nodes that were not drafted in their place
  std::int64_t lacking = 0;  // rounds that ended where a recorded tree was cut
  PassRows verified;         // the target's passes
  PassRows drafting;         // the draft model's, one for each level and one to read the text
  double tokens_per_second = 0;

  double tokens_per_pass() const { return share(tokens); }
  double drafted_per_round() const { return share(drafted); }

 private:
  double share(std::int64_t part) const {
    return rounds == 0 ? 0 : static_cast<double>(part) / static_cast<double>(rounds);
  }
};

/// What passes of the target and of the draft model cost, these as shares of the target's over one row: they
/// are timed at different times, and only a ratio stays the same when the machine's load changes.
struct GraphPrices {
  CostModel passes;
  int context = 0;             // tokens before the passes
  std::vector<int> rows;       // of passes of the draft model, ascending, from 1 on
  std::vector<double> shares;  // [rows]

  double plain_seconds() const { return passes.seconds({Shape::kChain, 1, context}); }
  /// Between the numbers of rows in proportion; beyond the last, the last segment is extended.
  double draft_seconds(int num_rows) const;
  /// Tokens per second of a trial's rounds.
  double speed(const GraphTrial& trial) const;
};

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

  /// The fastest of a method; on a tie the first. Those whose recorded trees were cut too often only where
  /// there are no others.
  /// @param merges  whether of graphs, else of trees; chains are both
  const GraphTrial& best(bool merges, const RequestedGraphSetting& requested = {}) const;
  void price(const GraphPrices& prices);
};

/// Of one machine and draft model.
struct MachineGraphSettings : CalibratedPair {
  std::vector<int> rows;                      // as GraphPrices
  std::vector<double> shares;                 // likewise
  std::vector<GraphSettings> by_temperature;  // ascending; at least one

  const GraphSettings& nearest(double temperature) const;
};

}  // namespace outrider::cost
