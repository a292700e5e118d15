#include "train/draft/balance_layer.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/train/gradient_check.h"
#include "tests/train/parallelspec_traces.h"
#include "tests/train/small_target.h"
#include "train/parallelspec/parallelspec_objective.h"

namespace outrider::train {
namespace {

TEST(BalanceLayer, BringsWeightsToLikeSizesAndChangesNoOutput) {
  const at::NoGradGuard no_gradients;
  const test::SmallTarget target;
  const int vocab = target.model.config.vocab;
  ParallelSpecObjective objective(target.model, test::two_of_three(vocab), {.groups = 7},
                                  at::kDouble);
  test::perturb_all(objective, 5);
  DraftLayer& layer = objective.layer_drafter()->layer();
  // As where a target's last layer writes into a long residual stream.
  layer.down.mul_(1e-4);
  layer.o.mul_(1e-3);
  layer.gate_up.chunk(2)[1].mul_(40);
  layer.attn_norm.mul_(9);
  const GroupBatch batch = objective.batch(test::random_texts(vocab, 2));
  const at::Tensor before = objective.drafter().outputs(batch, Precision::kF32);
  balance_layer(layer);
  const at::Tensor after = objective.drafter().outputs(batch, Precision::kF32);
  EXPECT_LT((after - before).norm().item<double>(), 1e-12 * before.norm().item<double>());

  const auto length = [](const at::Tensor& matrix) {
    return (matrix.square().mean() * matrix.size(1)).sqrt().item<double>();
  };
  const auto expect_alike = [](double one, double other) {
    EXPECT_LT(std::abs(std::log2(one / other)), 1.01) << one << " and " << other;
  };
  expect_alike(length(layer.kv.chunk(2)[1]), length(layer.o));
  expect_alike(length(layer.gate_up.chunk(2)[1]), length(layer.down));
  for (const at::Tensor* const norm : {&layer.attn_norm, &layer.ffn_norm})
    expect_alike(norm->square().mean().sqrt().item<double>(), 1);
}

}  // namespace
}  // namespace outrider::train
