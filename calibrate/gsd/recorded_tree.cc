#include "calibrate/gsd/recorded_tree.h"

#include <algorithm>

namespace outrider::calibrate {

int RecordedTree::child(int node, Token token) const {
  const Node& above = at(node);
  for (int i = 0; i < above.num_children; ++i)
    if (this->token(above.first_child + i) == token) return above.first_child + i;
  return kNone;
}

std::vector<sampling::RankedToken> RecordedTree::children(int node, int most) const {
  const Node& above = at(node);
  std::vector<sampling::RankedToken> ranked;
  for (int i = 0; i < std::min(most, above.num_children); ++i)
    ranked.push_back(at(above.first_child + i).ranked);
  return ranked;
}

int RecordedTree::expand(int node, std::span<const sampling::RankedToken> children, int kept_row) {
  const int first = size();
  Node& above = nodes_[static_cast<std::size_t>(node)];
  above.first_child = first;
  above.num_children = static_cast<int>(children.size());
  above.kept_row = kept_row;
  const int depth = above.depth + 1;
  const double log_path = above.log_path;
  for (const sampling::RankedToken& one : children)
    nodes_.push_back({one, log_path + one.score, node, depth});
  return first;
}

}  // namespace outrider::calibrate
