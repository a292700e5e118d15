#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "train/optimiser/gradients.h"
#include "train/optimiser/schedule.h"

namespace outrider::train {
namespace {

Parameter with_gradient(std::int64_t numbers, double gradient) {
  Parameter parameter{"p", at::full({numbers}, 1.0, at::kFloat), true};
  parameter.value.set_requires_grad(true);
  parameter.value.mutable_grad() = at::full({numbers}, gradient, at::kFloat);
  return parameter;
}

float first_gradient(const Parameter& parameter) {
  return parameter.value.grad().const_data_ptr<float>()[0];
}

TEST(Gradients, HaveOneNormAndAreCutToIt) {
  const std::vector<Parameter> parameters = {with_gradient(9, 2), with_gradient(16, -4)};
  // sqrt(9 * 4 + 16 * 16) / 2
  const double norm = std::sqrt(292.0) / 2;
  EXPECT_NEAR(scale_gradients(parameters, 0.5, 100), norm, 1e-6);
  EXPECT_EQ(first_gradient(parameters[0]), 1);
  EXPECT_EQ(first_gradient(parameters[1]), -2);
  EXPECT_NEAR(scale_gradients(parameters, 1, 1), norm, 1e-6);
  EXPECT_NEAR(first_gradient(parameters[0]), 1 / norm, 1e-6);
  EXPECT_NEAR(first_gradient(parameters[1]), -2 / norm, 1e-6);
  EXPECT_NEAR(scale_gradients(parameters, 3, 0), 3, 1e-5);
  EXPECT_NEAR(first_gradient(parameters[0]), 3 / norm, 1e-6);
}

TEST(Gradients, ThatAreNotFiniteAreReported) {
  const std::vector<Parameter> parameters = {with_gradient(4, 1)};
  parameters[0].value.mutable_grad().mutable_data_ptr<float>()[2] =
      std::numeric_limits<float>::infinity();
  EXPECT_FALSE(std::isfinite(scale_gradients(parameters, 1, 1)));
  EXPECT_EQ(first_gradient(parameters[0]), 1);
}

TEST(Schedule, RisesLinearlyAndFallsAsACosine) {
  const Schedule schedule{.peak = 2, .floor = 0.1, .warm_up = 4, .steps = 24};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 0), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 3), 2);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 13), 2 * (0.1 + 0.9 * 0.5));
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 23), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 500), 0.2);
  for (std::int64_t step = 4; step < 24; ++step)
    EXPECT_LT(learning_rate(schedule, step), learning_rate(schedule, step - 1));
}

TEST(Schedule, NeedsNoWarmUp) {
  EXPECT_DOUBLE_EQ(learning_rate({.peak = 2, .floor = 0.5, .warm_up = 0, .steps = 11}, 0), 2);
  EXPECT_DOUBLE_EQ(learning_rate({.peak = 2, .floor = 0.5, .warm_up = 0, .steps = 11}, 10), 1);
  EXPECT_DOUBLE_EQ(learning_rate({.peak = 2, .floor = 0.5, .warm_up = 0, .steps = 1}, 0), 2);
}

}  // namespace
}  // namespace outrider::train
