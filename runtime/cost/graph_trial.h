#pragma once

#include <cstdint>
#include <tuple>

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

}  // namespace outrider::cost
