#pragma once

#include "runtime/draft/token_tree.h"
#include "runtime/sampling/token_constraint.h"

namespace outrider::decode {

/// Leads what an answer has to be along the paths of a draft, node by node, and back to where it was in the end.
class PathConstraint {
 public:
  /// @param tree, constraint  must outlive it
  PathConstraint(const draft::TokenTree& tree, sampling::TokenConstraint& constraint)
      : tree_(&tree), constraint_(&constraint) {}
  ~PathConstraint() { constraint_->roll_back(accepted_); }
  PathConstraint(const PathConstraint&) = delete;
  PathConstraint& operator=(const PathConstraint&) = delete;

  /// Takes the tokens from the root to a node, to whose parent they can be taken. Nodes are mostly chains, each below the one
  /// before: then nothing is taken back.
  /// @return false where the node's token may not come there
  bool reach(int node);

 private:
  void walk_to(int node);
  bool accept(int node);

  const draft::TokenTree* tree_;
  sampling::TokenConstraint* constraint_;
  int node_ = 0;      // where it is
  int accepted_ = 0;  // tokens that led there
};

}  // namespace outrider::decode
