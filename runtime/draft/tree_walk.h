#pragma once

#include <vector>

#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// The way down a draft along the tokens that the target chose.
class TreeWalk {
 public:
  explicit TreeWalk(const TokenTree& tree) : tree_(tree) {}

  /// Goes one step down; false where the draft does not go on with `token`, and then it stays.
  bool follow(Token token);

  /// Where it is. Of nodes that the same tokens lead to, that of the first row.
  int node() const { return here_.front(); }
  /// Tokens followed.
  int depth() const { return tree_.depth(node()); }
  /// The nodes from the root to `node`, which follow each other.
  std::vector<int> path() const;

 private:
  const TokenTree& tree_;
  std::vector<int> here_ = {0};  // all nodes that the tokens lead to; several in TreeForm::kRows
};

}  // namespace outrider::draft
