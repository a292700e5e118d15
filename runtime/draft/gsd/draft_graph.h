#pragma once

#include <cstdint>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/gsd/gram_index.h"

namespace outrider::draft {

/// The hypotheses of one round as a graph (Gong et al. 2024, Graph-Structured Speculative Decoding, section
/// 5). Node 0 is the last committed token. Every other node is drafted below one that is open, and stays a
/// leaf until it is opened; a node that ends a run of tau drafted tokens with which an open node ends
/// already is merged into that one instead: the children of that one become its children too.
///
/// Two branches can be merged into each other, `a b c d` and `c d a b` at tau 2, so edges may form cycles,
/// which only the limits of Unmerging end. Reuse allocates nothing for graphs of earlier sizes.
class DraftGraph {
 public:
  static constexpr int kNone = -1;

  /// @param tau  tokens of a run; 0: nothing is merged, and the graph is a tree
  explicit DraftGraph(int tau) : tau_(tau) { restart(); }

  /// Resets to just node 0, which is open.
  void restart();

  /// Adds a leaf below an open node.
  /// @param log_q  logarithm of its probability after the path above it
  /// @param rank   among its siblings, which have other tokens; 0 is best
  /// @throws std::logic_error below a node that is not open
  int add(int parent, Token token, double log_q, int rank);
  /// Opens a leaf, or merges it: into the first node opened with the same last tokens that is not above it.
  /// O(1) but for branchings on the way up, and nodes with the same last tokens there. Call it in order of
  /// depth, then of probability.
  /// @return whether it is open
  bool open(int node);

  int size() const { return static_cast<int>(nodes_.size()); }
  /// Nodes without node 0.
  int num_drafted() const { return size() - 1; }
  int num_merged() const { return num_merged_; }
  Token token(int node) const { return at(node).token; }
  int parent(int node) const { return at(node).parent; }
  int depth(int node) const { return at(node).depth; }
  int rank(int node) const { return at(node).rank; }
  double log_q(int node) const { return at(node).log_q; }
  /// Logarithm of the probability of the path from below node 0.
  double log_path(int node) const { return at(node).log_path; }
  bool is_open(int node) const { return at(node).follows == node; }
  /// The node whose children follow this one: itself if it is open, the one that it was merged into, or
  /// kNone for a leaf.
  int followed_like(int node) const { return at(node).follows; }
  /// Children in the order in which they were added; kNone after the last.
  int first_child(int node) const { return at(node).first_child; }
  int next_sibling(int node) const { return at(node).next_sibling; }
  /// The child with a token, or kNone.
  int child(int node, Token token) const;

  /// Nodes and table entries looked at so far: what its time is proportional to.
  std::int64_t steps() const { return steps_ + grams_.probes(); }

 private:
  struct Node {
    Token token;
    int parent;
    int depth;
    int rank;
    double log_q;
    double log_path;
    int follows = kNone;
    int top = 0;             // of open nodes: the highest one of their branch, a path down from it
    bool continues = false;  // whether a child continues its branch; others begin one
    int next_same = kNone;   // the next open node with the same last tokens, which is below it
    int first_child = kNone;
    int last_child = kNone;
    int next_sibling = kNone;
  };
  const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  Node& at(int node) { return nodes_[static_cast<std::size_t>(node)]; }
  std::uint64_t hash_of_run(int node) const;
  bool same_run(int a, int b) const;
  bool is_on_path(int upper, int node) const;

  int tau_;
  std::vector<Node> nodes_;
  GramIndex grams_;  // of open nodes
  int num_merged_ = 0;
  mutable std::int64_t steps_ = 0;
};

}  // namespace outrider::draft
