#include "runtime/draft/model/token_probability.h"

#include <algorithm>

#include "runtime/base/math.h"

namespace outrider::draft {

TokenProbability::TokenProbability(int num_logits, const engine::ScoreKernels& kernels)
    : kernels_(kernels),
      maxima_(static_cast<std::size_t>((num_logits + engine::ScoreKernels::kGroup - 1) /
                                       engine::ScoreKernels::kGroup)) {}

float TokenProbability::log_of(std::span<const float> logits, std::size_t token) {
  const int n = static_cast<int>(logits.size());
  kernels_.group_maxima(logits.data(), n, maxima_.data());
  const float largest = *std::max_element(maxima_.begin(), maxima_.end());
  const double sum = kernels_.exp_sums(logits.data(), n, largest).exp;
  const double x = static_cast<double>(logits[token]) - static_cast<double>(largest);
  return static_cast<float>(x - math::log(sum));
}

}  // namespace outrider::draft
