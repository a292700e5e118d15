#include "runtime/sampling/top_logits.h"

#include <algorithm>
#include <stdexcept>

namespace outrider::sampling {

TopLogits::TopLogits(int top, int num_logits, const engine::ScoreKernels& kernels)
    : kernels_(kernels),
      top_(top),
      num_logits_(static_cast<std::size_t>(num_logits)),
      maxima_(static_cast<std::size_t>((num_logits + engine::ScoreKernels::kGroup - 1) /
                                       engine::ScoreKernels::kGroup)) {
  best_.reserve(static_cast<std::size_t>(top));
}

std::span<const RankedToken> TopLogits::of(std::span<const float> logits) {
  if (logits.size() != num_logits_)
    throw std::logic_error("TopLogits: the logits are not those of the vocabulary");
  constexpr std::size_t kLogits = engine::ScoreKernels::kGroup;
  kernels_.group_maxima(logits.data(), static_cast<int>(logits.size()), maxima_.data());
  TopTokens top(top_, best_);
  // Ids ascend, so that a later logit ranks after an equal one.
  for (std::size_t group = 0; group < maxima_.size(); ++group) {
    if (!(maxima_[group] > top.least())) continue;
    const std::size_t end = std::min((group + 1) * kLogits, logits.size());
    for (std::size_t i = group * kLogits; i < end; ++i)
      if (const double logit = logits[i]; logit > top.least())
        top.add({static_cast<Token>(i), logit, logit});
  }
  return best_;
}

}  // namespace outrider::sampling
