#pragma once

#include <span>
#include <vector>

#include "runtime/draft/gsd/draft_graph.h"
#include "runtime/draft/gsd/pruning.h"
#include "runtime/draft/token_tree.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::draft {

/// What may follow the nodes of a graph: from passes of a draft model, or from a record of some.
class Continuations {
 public:
  virtual ~Continuations() = default;
  /// Prepares what may follow these nodes, which are open, the most probable path first. Node 0 needs none.
  virtual void forward(const DraftGraph& graph, std::span<const int> level) = 0;
  /// What may follow the i-th of the nodes forwarded last, or node 0 before any: best first, the score of
  /// each the logarithm of its probability.
  virtual std::span<const sampling::RankedToken> after(const DraftGraph& graph, int node,
                                                       int i) = 0;
  /// Whether the children of a node are added all or not at all, as those drawn at random must be:
  /// which of them are verified must not depend on which tokens they are.
  virtual bool are_all_or_none() const { return false; }
};

/// Drafts a graph level by level (Gong et al. 2024, section 4): what follows every open node is added, what
/// is not pruned of it is opened or merged, the most probable paths first, and the next level follows. Ends
/// where there is no room, or not for all of the children that come together.
class GraphGrowth {
 public:
  explicit GraphGrowth(const Pruning& pruning) : pruner_(pruning) {}

  /// @param limits  at least one level and one node
  /// @param graph   of just node 0
  /// @return whether there was room for all nodes
  bool run(const DraftLimits& limits, Continuations& next, DraftGraph& graph);

 private:
  void add_children(int node, std::span<const sampling::RankedToken> ranked, DraftGraph& graph);
  void open_level(DraftGraph& graph);

  Pruner pruner_;
  std::vector<int> level_;  // open nodes whose children are next, the most probable path first
  std::vector<int> added_;  // their children that are not pruned
};

}  // namespace outrider::draft
