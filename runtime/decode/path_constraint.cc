#include "runtime/decode/path_constraint.h"

namespace outrider::decode {

bool PathConstraint::reach(int node) {
  if (node == 0) {
    walk_to(0);
    return true;
  }
  if (tree_->parent(node) != node_) walk_to(tree_->parent(node));
  return accept(node);
}

/// To a node that can be reached.
void PathConstraint::walk_to(int node) {
  if (node == 0) {
    constraint_->roll_back(accepted_);
    node_ = accepted_ = 0;
    return;
  }
  walk_to(tree_->parent(node));
  accept(node);
}

bool PathConstraint::accept(int node) {
  if (!constraint_->accept(tree_->token(node))) return false;
  node_ = node;
  ++accepted_;
  return true;
}

}  // namespace outrider::decode
