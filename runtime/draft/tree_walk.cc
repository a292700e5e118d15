#include "runtime/draft/tree_walk.h"

#include <algorithm>
#include <utility>

namespace outrider::draft {

bool TreeWalk::follow(Token token) {
  std::vector<int> next;
  for (const int node : here_) {
    for (int child = tree_.first_child(node); child != TokenTree::kNone;
         child = tree_.next_sibling(child)) {
      if (tree_.token(child) == token) next.push_back(child);
    }
  }
  if (next.empty()) return false;
  here_ = std::move(next);
  return true;
}

std::vector<int> TreeWalk::path() const {
  std::vector<int> nodes;
  for (int at = node(); at != TokenTree::kNone; at = tree_.parent(at)) nodes.push_back(at);
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace outrider::draft
