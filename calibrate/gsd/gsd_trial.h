#pragma once

#include <cstdint>
#include <tuple>

#include "runtime/cost/trials.h"
#include "runtime/draft/gsd/pruning.h"

namespace outrider::calibrate {

/// How trees and graphs of a draft model are drafted (Gong et al. 2024). With one child a node it is a chain.
struct GsdSetting {
  int children = 1;  // k
  draft::Pruning pruning = {};
  int tau = 0;  // 0: nothing is merged
  int steps = 1;
  int nodes = 1;

  bool operator==(const GsdSetting&) const = default;
  bool operator<(const GsdSetting& other) const { return key() < other.key(); }
  bool is_chain() const { return children == 1; }
  cost::Shape shape() const { return is_chain() ? cost::Shape::kChain : cost::Shape::kTree; }
  /// As flags have it.
  cost::SettingValues values() const;

 private:
  std::tuple<int, double, double, double, int, int, int> key() const {
    return {children, pruning.probability, pruning.sibling, pruning.path, tau, steps, nodes};
  }
};

/// The names of what graphs are set by, in the order in which what a user gives counts.
inline const std::vector<std::string> kGsdNames = {
    "children",          "merge-run",      "tree-nodes", "draft-length",
    "prune-probability", "prune-siblings", "min-path"};

/// The draft model has a pass for each level, and one to read the text.
struct GsdTrial : cost::TrialCounts {
  GsdSetting setting;
  std::int64_t merged = 0;              // of the drafted nodes
  std::int64_t copies = 0;              // accepted nodes that were not drafted in their place
  std::int64_t rounds_with_copies = 0;  // that accepted such a node
  std::int64_t later_children = 0;  // accepted nodes that are not the likeliest of their siblings

  /// As it is kept.
  cost::Trial trial() const;
};

/// Of a trial as it is kept, the share of rounds in which a token was accepted through a merged node (section 6.2 of the paper).
double graph_success(const cost::Trial& trial);
/// Likewise, of the accepted nodes those that are children 2 and later.
double share_of_later_children(const cost::Trial& trial);

}  // namespace outrider::calibrate
