#include "train/losses/distillation.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "tests/train/gradient_check.h"

namespace outrider::train {
namespace {

using test::random_numbers;

/// Targets of 6 queries over 9 head rows: stored tokens with and without a row, none at all, all of them.
QueryTargets some_targets() {
  const at::Tensor rows = at::tensor({0, 3, 5, 8, -1, 2,  -1, 7, -1, -1, -1, -1,  //
                                      1, 0, 2, 4, 6,  -1, 3,  8, 4,  7,  5,  -1},
                                     at::kLong)
                              .view({6, 4});
  const at::Tensor probabilities =
      at::softmax(random_numbers({6, 5}, 1), -1).narrow(1, 0, 4).to(at::kFloat);
  return {rows, probabilities, at::tensor({0, -1, -1, 1, 6, 4}, at::kLong),
          at::tensor({3, 2, 6, 0, 5, -1}, at::kLong)};
}

/// The definition, query by query.
at::Tensor plain_loss(const at::Tensor& states, const at::Tensor& head, const QueryTargets& targets,
                      const DistillationOptions& options) {
  at::Tensor loss = at::zeros({}, at::kDouble);
  for (std::int64_t i = 0; i < states.size(0); ++i) {
    const at::Tensor q = at::softmax(at::mv(head, states[i]), 0);
    at::Tensor q_rest = at::ones({}, at::kDouble);
    double p_rest = 1;
    at::Tensor kl = at::zeros({}, at::kDouble);
    for (std::int64_t j = 0; j < targets.rows.size(1); ++j) {
      const auto row = targets.rows[i][j].item<std::int64_t>();
      if (row < 0) continue;
      const double p = targets.probabilities[i][j].item<double>();
      kl = kl + p * (std::log(p) - q[row].log());
      p_rest -= p;
      q_rest = q_rest - q[row];
    }
    kl = kl + p_rest * (std::log(p_rest) - q_rest.log());
    const at::Tensor& labels = options.label == HardLabel::kGreedy ? targets.greedy : targets.taken;
    const auto label = labels[i].item<std::int64_t>();
    loss = loss + (1 - options.hard_share) * kl;
    if (label >= 0) loss = loss - options.hard_share * q[label].log();
  }
  return loss;
}

std::vector<DistillationOptions> every_option() {
  return {{0, HardLabel::kGreedy},
          {1, HardLabel::kGreedy},
          {1, HardLabel::kTaken},
          {0.3, HardLabel::kTaken}};
}

TEST(Distillation, IsTheDefinition) {
  const at::Tensor states = random_numbers({6, 5}, 2), head = random_numbers({9, 5}, 3);
  for (const DistillationOptions& options : every_option())
    EXPECT_NEAR(distillation(states, head, some_targets(), options, Precision::kF32).item<double>(),
                plain_loss(states, head, some_targets(), options).item<double>(), 1e-9);
}

TEST(Distillation, HasItsGradient) {
  for (const DistillationOptions& options : every_option())
    test::expect_gradients(
        [&](const std::vector<at::Tensor>& in) {
          return distillation(in[0], in[1], some_targets(), options, Precision::kF32);
        },
        {random_numbers({6, 5}, 5), random_numbers({9, 5}, 4)});
}

TEST(Distillation, HasNoLossWhereNothingOfTheTargetIsKnown) {
  QueryTargets none = some_targets();
  none.rows.fill_(-1);
  none.greedy.fill_(-1);
  at::Tensor states = random_numbers({6, 5}, 6).set_requires_grad(true);
  const at::Tensor loss = distillation(states, random_numbers({9, 5}, 7), none,
                                       {0.5, HardLabel::kGreedy}, Precision::kF32);
  loss.backward();
  EXPECT_EQ(loss.item<double>(), 0);
  EXPECT_EQ(states.grad().abs().max().item<double>(), 0);
}

TEST(Distillation, SumsOverChunksOfRows) {
  const at::Tensor head = random_numbers({9, 5}, 8).set_requires_grad(true);
  const at::Tensor states = random_numbers({6, 5}, 9);
  const QueryTargets targets = some_targets();
  const QueryTargets many = {targets.rows.repeat({100, 1}), targets.probabilities.repeat({100, 1}),
                             targets.greedy.repeat({100}), targets.taken.repeat({100})};
  at::Tensor one = states.clone().set_requires_grad(true);
  at::Tensor hundred = states.repeat({100, 1}).set_requires_grad(true);
  const at::Tensor loss = distillation(one, head, targets, {}, Precision::kF32);
  const at::Tensor sum = distillation(hundred, head, many, {}, Precision::kF32);
  EXPECT_NEAR(sum.item<double>(), 100 * loss.item<double>(), 1e-8);
  loss.backward();
  const at::Tensor of_head = head.grad().clone();
  head.mutable_grad() = at::Tensor();
  sum.backward();
  const at::Tensor difference = hundred.grad().view({100, 6, 5}) - one.grad();
  EXPECT_LT(difference.abs().max().item<double>(), 1e-12);
  EXPECT_LT((head.grad() - 100 * of_head).abs().max().item<double>(), 1e-9);
}

TEST(Distillation, InLowerPrecisionIsCloseToTheDefinition) {
  const at::Tensor states = random_numbers({6, 5}, 10), head = random_numbers({9, 5}, 11);
  const double expected = plain_loss(states, head, some_targets(), {}).item<double>();
  const auto in = [&](Precision precision) {
    return distillation(states.to(at::kFloat), head.to(at::kFloat), some_targets(), {}, precision)
        .item<double>();
  };
  EXPECT_NEAR(in(Precision::kF32), expected, 1e-5 * expected);
  EXPECT_NEAR(in(Precision::kBf16), expected, 0.02 * expected);
}

}  // namespace
}  // namespace outrider::train
