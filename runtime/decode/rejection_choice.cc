#include "runtime/decode/rejection_choice.h"

#include <stdexcept>

namespace outrider::decode {

Token RejectionChoice::choose(const sampling::SequenceSampling& sampling,
                              std::span<const float> logits, std::int64_t position,
                              const draft::TokenTree& tree, int node,
                              const draft::Drafter& drafter) {
  const auto uniform = [&](sampling::RandomUse use) {
    return sampling::uniform(sampling.seed, position, use);
  };
  choice_.distribute(sampling, logits, p_);
  const int child = tree.first_child(node);
  if (child == draft::TokenTree::kNone) return draw(p_, uniform(sampling::RandomUse::kResidual));
  if (tree.next_sibling(child) != draft::TokenTree::kNone)
    throw std::logic_error("RejectionChoice: expected a chain");
  const sampling::Distribution& q = drafter.drawn_from(node);
  const Token drafted = tree.token(child);
  if (uniform(sampling::RandomUse::kAccept) < acceptance(p_, q, drafted)) return drafted;
  residual(p_, q, residual_);
  return draw(residual_, uniform(sampling::RandomUse::kResidual));
}

}  // namespace outrider::decode
