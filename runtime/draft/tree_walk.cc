#include "runtime/draft/tree_walk.h"

namespace outrider::draft {

void TreeWalk::begin(const TokenTree& tree) {
  tree_ = &tree;
  here_.assign(1, 0);
  path_.assign(1, 0);
}

bool TreeWalk::follow(Token token) {
  next_.clear();
  for (const int node : here_) {
    for (int child = tree_->first_child(node); child != TokenTree::kNone;
         child = tree_->next_sibling(child)) {
      if (tree_->token(child) == token) next_.push_back(child);
    }
  }
  if (next_.empty()) return false;
  here_.swap(next_);
  path_.push_back(node());
  // In TreeForm::kRows the path switches to another row if the first one has ended.
  for (std::size_t i = path_.size() - 1; tree_->parent(path_[i]) != path_[i - 1]; --i)
    path_[i - 1] = tree_->parent(path_[i]);
  return true;
}

}  // namespace outrider::draft
