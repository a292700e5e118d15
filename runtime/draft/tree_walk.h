#pragma once

#include <vector>

#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// The way down a draft along the tokens that the target chose. One that begins again allocates
/// nothing for a draft like those before.
class TreeWalk {
 public:
  TreeWalk() = default;
  explicit TreeWalk(const TokenTree& tree) { begin(tree); }

  /// Goes to the root of a tree.
  void begin(const TokenTree& tree);

  /// Goes one step down; false where the draft does not go on with `token`, and then it stays.
  bool follow(Token token);

  /// Where it is. Of nodes that the same tokens lead to, that of the first row.
  int node() const { return here_.front(); }
  /// Tokens followed.
  int depth() const { return tree_->depth(node()); }
  /// The nodes from the root to `node`, which follow each other.
  const std::vector<int>& path() const { return path_; }

 private:
  const TokenTree* tree_ = nullptr;
  std::vector<int> here_;  // all nodes that the tokens lead to; several in TreeForm::kRows
  std::vector<int> next_;  // of `follow`
  std::vector<int> path_;
};

}  // namespace outrider::draft
