#include "runtime/draft/token_tree.h"

#include <stdexcept>

namespace outrider::draft {

TokenTree::TokenTree(Token root) : tokens_{root}, parents_{kNone}, depths_{0} {}

int TokenTree::add(int parent, Token token) {
  if (parent < 0 || parent >= size()) throw std::logic_error("TokenTree::add: no such parent");
  if (const int there = child(parent, token); there != kNone) return there;
  tokens_.push_back(token);
  parents_.push_back(parent);
  depths_.push_back(depth(parent) + 1);
  return size() - 1;
}

int TokenTree::add_chain(int parent, std::span<const Token> tokens) {
  for (const Token token : tokens) parent = add(parent, token);
  return parent;
}

TokenTree TokenTree::cut(int depth) const {
  TokenTree kept(token(0));
  std::vector<int> place = {0};  // in `kept`, of every node here
  for (int node = 1; node < size(); ++node) {
    const bool keeps = this->depth(node) <= depth;
    place.push_back(keeps ? kept.add(place[static_cast<std::size_t>(parent(node))], token(node))
                          : kNone);
  }
  return kept;
}

int TokenTree::child(int node, Token token) const {
  // Drafts are small, and children come after their parents.
  for (int i = node + 1; i < size(); ++i)
    if (parent(i) == node && this->token(i) == token) return i;
  return kNone;
}

}  // namespace outrider::draft
