#pragma once

#include <cstdint>
#include <vector>

#include "runtime/draft/gsd/draft_graph.h"
#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// A token that may follow a node, and the logarithm of its probability there.
struct RankedChild {
  Token token;
  double log_q;
};

/// Ranks the children of a copied node, where they are not those of the original.
class CopyRanking {
 public:
  virtual ~CopyRanking() = default;
  /// @param node       of the graph: the open one that is copied
  /// @param tree_node  the copy
  /// @param children   best first, all with different tokens
  /// @return false: the children of the original apply
  virtual bool rank(int node, const TokenTree& tree, int tree_node,
                    std::vector<RankedChild>& children) = 0;
};

/// Makes the tree that is verified of a graph: what follows a merged node is copied from what follows the
/// node that it was merged into (Gong et al. 2024, section 5.4). The most probable path goes first, so that
/// limits cut the least probable ones, and cycles end at them.
/// Reuse allocates nothing for graphs and trees of earlier sizes.
class Unmerging {
 public:
  /// @param tree     of just the root
  /// @param limits   besides those of the tree
  /// @param ranking  nullptr: copies are followed as their originals
  /// @return whether there was room for all nodes
  bool run(const DraftGraph& graph, const DraftLimits& limits, CopyRanking* ranking,
           TokenTree& tree);

  /// The node of the graph that a node of the tree is or copies; DraftGraph::kNone for a token with which
  /// the ranking follows a copy and which the graph lacks there.
  int node_of(int tree_node) const { return at(tree_node).node; }
  /// Whether it was not drafted in its place.
  bool is_copy(int tree_node) const { return at(tree_node).is_copy; }
  /// Its rank among its siblings.
  int rank_of(int tree_node) const { return at(tree_node).rank; }
  /// Nodes looked at and compared so far: what its time is proportional to.
  std::int64_t steps() const { return steps_; }

 private:
  struct Made {
    int node;
    bool is_copy;
    int rank;
  };
  struct Waiting {
    double log_path;
    int number;  // in the order of discovery
    int parent;  // in the tree
    RankedChild child;
    Made made;
  };
  struct IsWorse {
    std::int64_t* steps;
    bool operator()(const Waiting& a, const Waiting& b) const {
      ++*steps;
      return a.log_path != b.log_path ? a.log_path < b.log_path : a.number > b.number;
    }
  };
  const Made& at(int tree_node) const { return made_[static_cast<std::size_t>(tree_node)]; }
  void discover(const DraftGraph& graph, CopyRanking* ranking, const TokenTree& tree, int tree_node,
                double log_path);
  void add(const Waiting& waiting);
  Waiting take_best();

  std::vector<Made> made_;        // by node of the tree
  std::vector<Waiting> waiting_;  // a heap
  std::vector<RankedChild> ranked_;
  int discovered_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace outrider::draft
