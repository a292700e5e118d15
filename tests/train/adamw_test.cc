#include "train/optimiser/adamw.h"

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace outrider::train {
namespace {

constexpr std::int64_t kNumbers = 1003;  // no multiple of a vector's lanes

Parameter parameter_of(const char* name, bool decay) {
  Parameter parameter{name, at::zeros({kNumbers}, at::kFloat), decay};
  std::mt19937_64 random(decay ? 3 : 4);
  std::normal_distribution<float> normal;
  for (std::int64_t i = 0; i < kNumbers; ++i)
    parameter.value.mutable_data_ptr<float>()[i] = normal(random);
  parameter.value.set_requires_grad(true);
  return parameter;
}

void fill_gradient(const Parameter& parameter, std::mt19937_64& random) {
  std::normal_distribution<float> normal(0.1F, 0.5F);
  float* gradient = parameter.value.mutable_grad().mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < kNumbers; ++i) gradient[i] = normal(random);
}

/// The algorithm as the paper has it, in double.
struct PlainAdamW {
  AdamWOptions options;
  bool decay;
  std::vector<double> values, first = std::vector<double>(kNumbers),
                              second = std::vector<double>(kNumbers);

  void step(const float* gradients, double rate, int t) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double g = gradients[i];
      first[i] = options.beta1 * first[i] + (1 - options.beta1) * g;
      second[i] = options.beta2 * second[i] + (1 - options.beta2) * g * g;
      const double m = first[i] / (1 - std::pow(options.beta1, t));
      const double v = second[i] / (1 - std::pow(options.beta2, t));
      values[i] -=
          rate * (m / (std::sqrt(v) + options.epsilon) + (decay ? options.decay : 0) * values[i]);
    }
  }
};

TEST(AdamW, StepsAsThePlainLoopDoes) {
  const AdamWOptions options{.beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-6, .decay = 0.3};
  const std::vector<Parameter> parameters = {parameter_of("matrix", true),
                                             parameter_of("norm", false)};
  AdamW optimiser(parameters, options);
  std::vector<PlainAdamW> plain;
  for (const Parameter& parameter : parameters) {
    const float* values = parameter.value.const_data_ptr<float>();
    plain.push_back({options, parameter.decay, {values, values + kNumbers}});
  }
  std::mt19937_64 random(1);
  for (int t = 1; t <= 30; ++t) {
    const double rate = 0.01 * t;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      fill_gradient(parameters[p], random);
      plain[p].step(parameters[p].value.grad().const_data_ptr<float>(), rate, t);
    }
    optimiser.step(rate);
  }
  for (std::size_t p = 0; p < parameters.size(); ++p)
    for (std::int64_t i = 0; i < kNumbers; ++i)
      EXPECT_NEAR(parameters[p].value.const_data_ptr<float>()[i],
                  plain[p].values[static_cast<std::size_t>(i)], 2e-5);
  EXPECT_EQ(optimiser.steps(), 30);
}

TEST(AdamW, GoesOnFromItsMomentsInTheSameBits) {
  const Parameter straight = parameter_of("matrix", true), resumed = parameter_of("matrix", true);
  AdamW one({straight}, {});
  std::mt19937_64 random(2);
  for (int t = 0; t < 5; ++t) {
    fill_gradient(straight, random);
    one.step(0.01);
  }
  AdamW other({resumed}, {});
  const auto copy = [](const at::Tensor& from, const at::Tensor& to) {
    std::copy_n(from.const_data_ptr<float>(), kNumbers, to.mutable_data_ptr<float>());
  };
  copy(straight.value, resumed.value);
  copy(one.moments()[0].first, other.moments()[0].first);
  copy(one.moments()[0].second, other.moments()[0].second);
  other.set_steps(one.steps());
  fill_gradient(straight, random);
  copy(straight.value.grad(), resumed.value.grad());
  one.step(0.02);
  other.step(0.02);
  for (std::int64_t i = 0; i < kNumbers; ++i)
    EXPECT_EQ(straight.value.const_data_ptr<float>()[i], resumed.value.const_data_ptr<float>()[i]);
}

}  // namespace
}  // namespace outrider::train
