#include "tests/support/random_tree.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace outrider::test {

draft::TokenTree random_tree(Token root, const TreeShape& shape, std::mt19937_64& random) {
  const int most_children = std::min(shape.branching, shape.vocab);
  if (most_children < 1 && shape.nodes > 1) throw std::logic_error("random_tree: no room");
  const auto below = [&](int n) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(n));
  };
  draft::TokenTree tree(root);
  std::vector<int> children = {0};  // of every node
  while (tree.size() < shape.nodes) {
    const int newest = tree.size() - 1;
    const int parent = below(2) == 0 ? newest : below(tree.size());
    if (children[static_cast<std::size_t>(parent)] == most_children) continue;
    if (tree.add(parent, below(shape.vocab)) <= newest) continue;  // it existed already
    ++children[static_cast<std::size_t>(parent)];
    children.push_back(0);
  }
  return tree;
}

}  // namespace outrider::test
