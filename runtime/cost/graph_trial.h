#pragma once

#include <cstdint>
#include <tuple>

#include "runtime/cost/pass_shape.h"
#include "runtime/cost/trial.h"
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
  bool is_chain() const { return children == 1; }
  Shape shape() const { return is_chain() ? Shape::kChain : Shape::kTree; }

 private:
  std::tuple<int, double, double, double, int, int, int> key() const {
    return {children, pruning.probability, pruning.sibling, pruning.path, tau, steps, nodes};
  }
};

/// The draft model has a pass for each level, and one to read the text.
struct GraphTrial : Trial {
  GraphSetting setting;
  std::int64_t merged = 0;   // of the drafted nodes
  std::int64_t copies = 0;   // accepted nodes that were not drafted in their place
  std::int64_t lacking = 0;  // rounds that ended where a recorded tree was cut
  // Older files have neither of these: 0.
  std::int64_t rounds_with_copies = 0;  // that accepted such a node
  std::int64_t later_children = 0;  // accepted nodes that are not the likeliest of their siblings

  /// Of the output tokens those that were drafted: the paper's acceptance rate (its table 1).
  double acceptance() const {
    return static_cast<double>(tokens - rounds) / static_cast<double>(tokens);
  }
  /// Rounds in which a token was accepted through a merged node (its section 6.2).
  double graph_success() const {
    return static_cast<double>(rounds_with_copies) / static_cast<double>(rounds);
  }
  /// Of the accepted nodes those that are children 2 and later.
  double share_of_later_children() const {
    return tokens == rounds
               ? 0
               : static_cast<double>(later_children) / static_cast<double>(tokens - rounds);
  }
};

}  // namespace outrider::cost
