#include "runtime/draft/token_tree.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace outrider::draft {

TokenTree::TokenTree(Token root, TreeForm form) : form_(form) {
  constexpr std::size_t kUsualSize = 16;
  nodes_.reserve(kUsualSize);
  nodes_.push_back({root, kNone, 0});
}

void TokenTree::restart(Token root) {
  form_ = TreeForm::kMerged;
  rows_.clear();
  nodes_.clear();
  nodes_.push_back({root, kNone, 0});
}

int TokenTree::add(int parent, Token token) {
  if (parent < 0 || parent >= size()) throw std::logic_error("TokenTree::add: no such parent");
  if (merges(parent, token)) return child(parent, token);
  const int added = size();
  const int elder = at(parent).last_child;
  (elder == kNone ? at(parent).first_child : at(elder).next_sibling) = added;
  at(parent).last_child = added;
  nodes_.push_back({token, parent, depth(parent) + 1});
  return added;
}

int TokenTree::add_chain(int parent, std::span<const Token> tokens) {
  for (const Token token : tokens) parent = add(parent, token);
  return parent;
}

void TokenTree::add_row(std::span<const Token> tokens, RowSource source, int rank, int budget) {
  int node = 0;
  for (const Token token : tokens) {
    if (num_drafted() >= budget && !merges(node, token)) break;
    node = add(node, token);
  }
  if (node != 0) rows_.push_back({source, rank, node});
}

void TokenTree::cut(int depth) {
  const auto fits = [depth](const Node& node) { return node.depth <= depth; };
  if (std::all_of(nodes_.begin(), nodes_.end(), fits)) return;
  TokenTree kept(token(0), form_);
  std::vector<int> place = {0};  // in `kept`, of every node here or of its deepest ancestor there
  for (int node = 1; node < size(); ++node) {
    const int above = place[static_cast<std::size_t>(parent(node))];
    place.push_back(this->depth(node) <= depth ? kept.add(above, token(node)) : above);
  }
  for (const DraftRow& row : rows_)
    kept.rows_.push_back({row.source, row.rank, place[static_cast<std::size_t>(row.last)]});
  *this = std::move(kept);
}

int TokenTree::child(int node, Token token) const {
  for (int i = first_child(node); i != kNone; i = next_sibling(i))
    if (this->token(i) == token) return i;
  return kNone;
}

}  // namespace outrider::draft
