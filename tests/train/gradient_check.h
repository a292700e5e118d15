#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace outrider::test {

/// Expects the gradients of f, a number in double of tensors in double, to be its central differences, at up to
/// `probes` entries of each tensor, spread over it.
inline void expect_gradients(const std::function<at::Tensor(const std::vector<at::Tensor>&)>& f,
                             const std::vector<at::Tensor>& inputs, double tolerance = 1e-7,
                             int probes = 40) {
  constexpr double kStep = 1e-5;
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& input : inputs)
    leaves.push_back(input.detach().clone().set_requires_grad(true));
  f(leaves).backward();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    ASSERT_TRUE(leaves[i].grad().defined()) << "input " << i;
    const at::Tensor gradient = leaves[i].grad().flatten();
    const std::int64_t stride = std::max<std::int64_t>(1, gradient.numel() / probes);
    for (std::int64_t at = 0; at < gradient.numel(); at += stride) {
      const auto moved = [&](double step) {
        std::vector<at::Tensor> arguments;
        for (const at::Tensor& leaf : leaves) arguments.push_back(leaf.detach().clone());
        arguments[i].view(-1)[at] += step;
        return f(arguments).item<double>();
      };
      const double difference = (moved(kStep) - moved(-kStep)) / (2 * kStep);
      const double found = gradient[at].item<double>();
      EXPECT_NEAR(found, difference, tolerance * std::max(1.0, std::abs(difference)))
          << "input " << i << ", entry " << at;
    }
  }
}

/// Random numbers of the same bits in every run, [sizes], in double.
inline at::Tensor random_numbers(at::IntArrayRef sizes, std::uint64_t seed) {
  return at::randn(sizes, at::make_generator<at::CPUGeneratorImpl>(seed), at::kDouble);
}

}  // namespace outrider::test
