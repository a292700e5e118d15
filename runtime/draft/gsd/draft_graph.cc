#include "runtime/draft/gsd/draft_graph.h"

#include <stdexcept>

namespace outrider::draft {

void DraftGraph::restart() {
  nodes_.clear();
  nodes_.push_back({});
  nodes_[0].parent = kNone;
  nodes_[0].follows = 0;
  grams_.clear();
  num_merged_ = 0;
}

int DraftGraph::add(int parent, Token token, double log_q, int rank) {
  if (parent < 0 || parent >= size() || !is_open(parent))
    throw std::logic_error("DraftGraph::add: expected an open node");
  const int added = size();
  Node& above = at(parent);
  const int last = above.last_child;
  (last == kNone ? above.first_child : at(last).next_sibling) = added;
  above.last_child = added;
  nodes_.push_back({token, parent, above.depth + 1, rank, log_q, above.log_path + log_q});
  ++steps_;
  return added;
}

bool DraftGraph::open(int node) {
  Node& opened = at(node);
  if (opened.follows != kNone) throw std::logic_error("DraftGraph::open: expected a leaf");
  if (tau_ > 0 && opened.depth >= tau_) {
    GramIndex::Occurrences& found =
        grams_.of(hash_of_run(node), [&](int other) { return same_run(node, other); });
    // Open nodes with one run are below each other: what is above the last of them is not in question.
    if (found.first != kNone && !is_on_path(found.last, opened.parent)) {
      int same = found.first;
      while (is_on_path(same, opened.parent)) same = at(same).next_same;
      opened.follows = same;
      ++num_merged_;
      return false;
    }
    (found.first == kNone ? found.first : at(found.last).next_same) = node;
    found.last = node;
  }
  opened.follows = node;
  Node& above = at(opened.parent);
  opened.top = above.continues ? node : above.top;
  above.continues = true;
  return true;
}

int DraftGraph::child(int node, Token token) const {
  for (int i = first_child(node); i != kNone; i = next_sibling(i))
    if (this->token(i) == token) return i;
  return kNone;
}

std::uint64_t DraftGraph::hash_of_run(int node) const {
  std::uint64_t hash = 0;
  steps_ += tau_;
  for (int i = 0; i < tau_; ++i, node = parent(node)) {
    hash = (hash ^ static_cast<std::uint64_t>(token(node))) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

bool DraftGraph::same_run(int a, int b) const {
  for (int i = 0; i < tau_; ++i, a = parent(a), b = parent(b)) {
    ++steps_;
    if (token(a) != token(b)) return false;
  }
  return true;
}

/// Whether the path to an open node leads through another, or ends there.
bool DraftGraph::is_on_path(int upper, int node) const {
  const int depth = this->depth(upper);
  ++steps_;
  for (; this->depth(at(node).top) > depth; node = parent(at(node).top)) ++steps_;
  return at(node).top == at(upper).top && this->depth(node) >= depth;
}

}  // namespace outrider::draft
