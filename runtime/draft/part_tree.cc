#include "runtime/draft/part_tree.h"

#include <algorithm>
#include <cstddef>

namespace outrider::draft {

TokenTree& PartTree::begin(const TokenTree& whole, int nodes) {
  tree_.restart(whole.token(0), {whole.limits().depth, std::min(whole.limits().nodes, nodes)});
  tree_.set_acceptance(whole.acceptance());
  return tree_;
}

void PartTree::merge_into(TokenTree& whole) {
  whole.set_form(tree_.form());
  places_.assign(1, 0);
  for (int node = 1; node < tree_.size(); ++node) {
    const int parent = places_[static_cast<std::size_t>(tree_.parent(node))];
    places_.push_back(parent == kNone ? kNone
                                      : whole.add(parent, tree_.token(node), tree_.origin(node)));
  }
  for (const TokenTree::Draft& draft : tree_.drafts()) {
    int last = draft.last;
    while (places_[static_cast<std::size_t>(last)] == kNone) last = tree_.parent(last);
    if (last != 0) whole.note_draft({draft.origin, places_[static_cast<std::size_t>(last)]});
  }
  if (tree_.is_cut() && tree_.limits().nodes == whole.limits().nodes) whole.note_cut();
}

void PartTree::find_in(const TokenTree& whole) {
  own_.assign(1, 0);
  tokens_.assign(1, whole.token(0));
  for (int node = 1; node < whole.size(); ++node) {
    const int parent = own_[static_cast<std::size_t>(whole.parent(node))];
    own_.push_back(parent == kNone ? kNone : tree_.child(parent, whole.token(node)));
    tokens_.push_back(whole.token(node));
  }
}

PartTree::Told PartTree::told(std::span<const int> accepted, Token next) {
  accepted_.clear();
  for (const int node : accepted) {
    const int own = own_[static_cast<std::size_t>(node)];
    if (own == kNone) return {accepted_, tokens_[static_cast<std::size_t>(node)]};
    accepted_.push_back(own);
  }
  return {accepted_, next};
}

}  // namespace outrider::draft
