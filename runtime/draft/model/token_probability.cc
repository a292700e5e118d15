#include "runtime/draft/model/token_probability.h"

#include <algorithm>

#include "runtime/base/math.h"

namespace outrider::draft {

TokenProbability::TokenProbability(int num_logits, const engine::ScoreKernels& kernels)
    : kernels_(kernels),
      maxima_(static_cast<std::size_t>((num_logits + engine::ScoreKernels::kGroup - 1) /
                                       engine::ScoreKernels::kGroup)) {}

LogSoftmax TokenProbability::of(std::span<const float> logits) {
  const int n = static_cast<int>(logits.size());
  kernels_.group_maxima(logits.data(), n, maxima_.data());
  const float largest = *std::max_element(maxima_.begin(), maxima_.end());
  return {largest, math::log(kernels_.exp_sums(logits.data(), n, largest, nullptr, 0).exp)};
}

}  // namespace outrider::draft
