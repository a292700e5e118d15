#include "runtime/decode/choices_after_nodes.h"

#include <algorithm>

#include "runtime/decode/path_constraint.h"

namespace outrider::decode {

void ChoicesAfterNodes::begin(const draft::TokenTree& tree, Sequence& sequence) {
  sequence_ = &sequence;
  const auto nodes = static_cast<std::size_t>(tree.size());
  const sampling::SequenceSampling root = sequence.sampling();
  if (root.options.uses_counts()) {
    counts_.resize(std::max(counts_.size(), nodes), sampling::TokenCounts({}));
    counts_.front() = root.counts;
    for (int node = 1; node < tree.size(); ++node) {
      if (tree.is_refused(node)) continue;
      sampling::TokenCounts& counts = counts_[static_cast<std::size_t>(node)];
      counts = counts_[static_cast<std::size_t>(tree.parent(node))];
      counts.add(tree.token(node));
    }
  }
  words_ = 0;
  sampling::TokenConstraint* const constraint = sequence.constraint();
  if (constraint == nullptr) return;
  PathConstraint path(tree, *constraint);
  for (int node = 0; node < tree.size(); ++node) {
    if (tree.is_refused(node)) continue;
    path.reach(node);
    const sampling::TokenMask mask = constraint->allowed();
    if (node == 0) {
      words_ = mask.size();
      allowed_.resize(nodes * words_);
    }
    std::copy(
        mask.begin(), mask.end(),
        allowed_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(node) * words_));
  }
}

sampling::SequenceSampling ChoicesAfterNodes::sampling(int node) const {
  sampling::SequenceSampling its = sequence_->sampling();
  its.bounds = nullptr;
  return its.options.uses_counts() ? its.with(counts_[static_cast<std::size_t>(node)]) : its;
}

sampling::TokenMask ChoicesAfterNodes::allowed(int node) const {
  if (words_ == 0) return {};
  return sampling::TokenMask(allowed_).subspan(static_cast<std::size_t>(node) * words_, words_);
}

}  // namespace outrider::decode
