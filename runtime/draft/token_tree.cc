#include "runtime/draft/token_tree.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "runtime/base/math.h"

namespace outrider::draft {
namespace {

/// As good as never; exp of what is less may not be a number.
constexpr float kLeastLogQ = -100;

/// Of two chances of which any may be unknown.
float larger(float a, float b) { return std::isnan(a) || b > a ? b : a; }

}  // namespace

TokenTree::TokenTree(Token root, const DraftLimits& limits) {
  constexpr std::size_t kUsualSize = 16;
  nodes_.reserve(kUsualSize);
  restart(root, limits);
}

void TokenTree::restart(Token root, const DraftLimits& limits) {
  form_ = TreeForm::kMerged;
  limits_ = limits;
  is_cut_ = false;
  drafts_.clear();
  nodes_.clear();
  nodes_.push_back({root, kNone, 0, {}});
  refused_ = 0;
}

int TokenTree::add(int parent, Token token, const Origin& origin) {
  if (parent < 0 || parent >= size()) throw std::logic_error("TokenTree::add: no such parent");
  if (form_ == TreeForm::kMerged) {
    const int there = child(parent, token);
    if (there != kNone) {
      at(there).origin.chance = larger(at(there).origin.chance, chance_of(origin, depth(there)));
      return there;
    }
  }
  if (depth(parent) >= limits_.depth) return kNone;
  if (num_drafted() >= limits_.nodes) {
    note_cut();
    return kNone;
  }
  const int added = size();
  const int last = at(parent).last_child;
  (last == kNone ? at(parent).first_child : at(last).next_sibling) = added;
  at(parent).last_child = added;
  nodes_.push_back({token, parent, depth(parent) + 1, origin});
  if (origin.drafter == nullptr) nodes_.back().origin.drafter = drafter_;
  nodes_.back().origin.chance = chance_of(origin, depth(added));
  return added;
}

/// What is known of a node's acceptance beyond the draft's own probability.
float TokenTree::chance_of(const Origin& origin, int depth) const {
  const bool is_there = acceptance_ == nullptr || !std::isnan(origin.chance);
  return is_there ? origin.chance : acceptance_->chance(origin, depth);
}

float TokenTree::chance(int node) const {
  const Origin& origin = at(node).origin;
  if (!std::isnan(origin.chance) || std::isnan(origin.log_q)) return origin.chance;
  return static_cast<float>(math::exp(static_cast<double>(std::max(origin.log_q, kLeastLogQ))));
}

int TokenTree::add_chain(int parent, std::span<const Token> tokens, const Origin& origin) {
  Origin here = origin;
  for (const Token token : tokens) {
    const int node = add(parent, token, here);
    if (node == kNone) break;
    parent = node;
    if (here.position != Origin::kNone) ++here.position;
  }
  return parent;
}

void TokenTree::add_draft(std::span<const Token> tokens, const Origin& origin) {
  const int last = add_chain(0, tokens, origin);
  if (last != 0) drafts_.push_back({origin, last});
}

void TokenTree::refuse(int node) {
  if (node <= 0 || node >= size()) throw std::logic_error("TokenTree::refuse: no such node");
  if (!std::exchange(at(node).refused, true)) ++refused_;
}

int TokenTree::child(int node, Token token) const {
  for (int i = first_child(node); i != kNone; i = next_sibling(i))
    if (this->token(i) == token) return i;
  return kNone;
}

}  // namespace outrider::draft
