#include "runtime/decode/rejection_choice.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace outrider::decode {

Token RejectionChoice::choose(const sampling::SequenceSampling& sampling,
                              std::span<const float> logits, std::int64_t position,
                              const draft::TokenTree& tree, int node) {
  sampling::SeededChance seeded(sampling.seed);
  sampling::Chance& chance = chance_ == nullptr ? seeded : *chance_;
  choice_.distribute(sampling, logits, p_);
  find_children(tree, node);
  const sampling::Distribution* q = tree.drawn_from(node);
  if (q == nullptr && !children_.empty())
    throw std::logic_error("RejectionChoice: children that were not drawn");
  for (std::size_t i = 0; i < children_.size(); ++i) {
    const Token token = tree.token(children_[i]);
    if (q->of(token) == 0) throw std::logic_error("RejectionChoice: a child that was not drawn");
    const double probability = acceptance(p_, *q, token);
    if (chance.happens(probability, {RandomUse::kAccept, position, static_cast<int>(i)}))
      return token;
    residual(p_, *q, residual_);
    std::swap(p_, residual_);
    if (i + 1 == children_.size()) break;
    without(*q, token, left_);
    q = &left_;
  }
  return chance.draw(p_, {RandomUse::kResidual, position});
}

void RejectionChoice::find_children(const draft::TokenTree& tree, int node) {
  children_.clear();
  for (int child = tree.first_child(node); child != draft::TokenTree::kNone;
       child = tree.next_sibling(child))
    children_.push_back(child);
  std::sort(children_.begin(), children_.end(),
            [&](int a, int b) { return tree.origin(a).rank < tree.origin(b).rank; });
}

}  // namespace outrider::decode
