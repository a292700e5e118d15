#pragma once

#include <vector>

#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// The path down a tree along the target's choices. Reuse allocates nothing for trees of earlier sizes.
class TreeWalk {
 public:
  TreeWalk() = default;
  explicit TreeWalk(const TokenTree& tree) { begin(tree); }

  /// Starts at the root of a tree.
  void begin(const TokenTree& tree);

  /// Moves to the child with `token`; false, without moving, if there is none.
  bool follow(Token token);

  /// The current node; in TreeForm::kRows, of the first row with these tokens.
  int node() const { return here_.front(); }
  /// Tokens followed.
  int depth() const { return tree_->depth(node()); }
  /// The nodes from the root to `node`.
  const std::vector<int>& path() const { return path_; }

 private:
  const TokenTree* tree_ = nullptr;
  std::vector<int> here_;  // all current nodes; several in TreeForm::kRows
  std::vector<int> next_;  // of `follow`
  std::vector<int> path_;
};

}  // namespace outrider::draft
