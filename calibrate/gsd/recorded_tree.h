#pragma once

#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/gsd/kept_logits.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::calibrate {

/// A draft model's unmerged tree after a text, of which every setting's trees and graphs are parts. Node 0
/// is the text's last token.
class RecordedTree {
 public:
  static constexpr int kNone = -1;

  explicit RecordedTree(const draft::KeptLogits& none) : kept(none) { nodes_.push_back({}); }

  int size() const { return static_cast<int>(nodes_.size()); }
  Token token(int node) const { return at(node).ranked.token; }
  int parent(int node) const { return at(node).parent; }
  int depth(int node) const { return at(node).depth; }
  double log_path(int node) const { return at(node).log_path; }
  double log_q(int node) const { return at(node).ranked.score; }
  /// What it was ranked by.
  double value(int node) const { return at(node).ranked.value; }
  /// The number of its logits in `kept`, or kNone.
  int kept_row(int node) const { return at(node).kept_row; }
  bool is_expanded(int node) const { return at(node).first_child != kNone; }
  /// The child with a token, or kNone.
  int child(int node, Token token) const;
  /// The first `most` children, best first.
  std::vector<sampling::RankedToken> children(int node, int most) const;

  /// Adds what follows a node that is not expanded. @param kept_row  of the node
  /// @return the first of them
  int expand(int node, std::span<const sampling::RankedToken> children, int kept_row);

  draft::KeptLogits kept;  // where what follows a copy is ranked anew
  bool is_cut = false;     // lacks nodes that are probable enough

 private:
  struct Node {
    sampling::RankedToken ranked = {0, 0, 0};
    double log_path = 0;
    int parent = kNone;
    int depth = 0;
    int first_child = kNone;  // its children are next to each other
    int num_children = 0;
    int kept_row = kNone;
  };
  const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }

  std::vector<Node> nodes_;
};

}  // namespace outrider::calibrate
