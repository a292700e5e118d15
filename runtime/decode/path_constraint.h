#pragma once

#include "runtime/draft/token_tree.h"
#include "runtime/sampling/token_constraint.h"

namespace outrider::decode {

/// Advances a constraint along the paths of a draft, node by node. Its destructor rolls the constraint back.
class PathConstraint {
 public:
  /// @param tree, constraint  must outlive it
  PathConstraint(const draft::TokenTree& tree, sampling::TokenConstraint& constraint)
      : tree_(&tree), constraint_(&constraint) {}
  ~PathConstraint() { constraint_->roll_back(accepted_); }
  PathConstraint(const PathConstraint&) = delete;
  PathConstraint& operator=(const PathConstraint&) = delete;

  /// Advances to a node, whose parent the constraint allows. In a chain, where each node is the child of the one reached last,
  /// nothing is rolled back.
  /// @return false if the constraint does not allow the node's token
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
