#include "train/parallelspec/parallelspec_objective.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/Allocator.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/support/expect_input_error.h"
#include "tests/train/parallelspec_traces.h"
#include "tests/train/plain_parallelspec_drafter.h"
#include "tests/train/small_target.h"
#include "train/parallelspec/choose_groups.h"

namespace outrider::train {
namespace {

using test::SmallTarget;

std::vector<at::Tensor> taken_gradients(ParallelSpecObjective& objective) {
  std::vector<at::Tensor> gradients;
  for (const Parameter& parameter : objective.parameters()) {
    gradients.push_back(parameter.value.grad().defined() ? parameter.value.grad().clone()
                                                         : at::zeros_like(parameter.value));
    parameter.value.mutable_grad() = at::Tensor();
  }
  return gradients;
}

void expect_plain(const SmallTarget& target, const ParallelSpecOptions& options,
                  std::uint64_t seed) {
  const int vocab = target.model.config.vocab;
  ParallelSpecObjective objective(target.model, test::two_of_three(vocab), options, at::kDouble);
  test::perturb_all(objective, seed);
  objective.begin_step(static_cast<std::int64_t>(seed));
  std::vector<int> layers = options.shape.state_layers();
  std::reverse(layers.begin(), layers.end());  // as a store may have them
  const std::vector<data::Trace> traces = test::random_texts(vocab, seed, layers);
  const StepLoss found = objective.accumulate(traces, 0.5);
  const std::vector<at::Tensor> gradients = taken_gradients(objective);

  const PlainDrafter plain(objective, target.model);
  at::Tensor expected = at::zeros({}, at::kDouble);
  std::int64_t slots = 0;
  for (const data::Trace& trace : traces)
    for (const std::int32_t start :
         some_starts(possible_starts(trace, options.shape), options.groups, random_of(trace, seed)))
      expected = expected + plain.group_loss(trace, start, slots);
  EXPECT_EQ(found.tokens, slots);
  ASSERT_GT(slots, 0);
  EXPECT_NEAR(found.loss, expected.item<double>(), 1e-9 * expected.item<double>());
  (expected * 0.5).backward();
  const std::vector<at::Tensor> wanted = taken_gradients(objective);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double norm = wanted[i].norm().item<double>();
    EXPECT_GT(norm, 0) << objective.parameters()[i].name;
    EXPECT_LT((gradients[i] - wanted[i]).norm().item<double>(), 1e-9 * norm)
        << objective.parameters()[i].name;
  }
}

TEST(ParallelSpecObjective, AStepOfGroupsIsThatOfAPlainLoop) {
  const SmallTarget target;
  std::uint64_t seed = 1;
  for (const Flavour flavour : draft::kFlavours) {
    for (const bool by_tokens : {true, false}) {
      for (const int masks : {0, 1, 3, 6}) {
        if (flavour != Flavour::kMedusa && !by_tokens) continue;
        if ((flavour == Flavour::kEagleAr) != (masks == 0)) continue;
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", masks " << masks);
        expect_plain(target,
                     {.shape = {flavour, by_tokens, masks},
                      .final_norm = seed % 2 == 0,
                      .groups = seed % 3 == 0 ? 0 : 7,
                      .token_weight = 0.3,
                      .slot_decay = 0.7},
                     seed);
        ++seed;
      }
    }
  }
}

TEST(ParallelSpecObjective, AStepOfADrafterForExportIsThatOfAPlainLoop) {
  const SmallTarget target(4);
  std::uint64_t seed = 1;
  for (const int masks : {1, 2, 5}) {
    SCOPED_TRACE(masks);
    expect_plain(
        target,
        {.shape = {.masks = masks, .exported = ExportShape{.layers = {1, 2, 3}, .mask_token = 7}},
         .groups = masks == 2 ? 0 : 7,
         .token_weight = 0.3,
         .slot_decay = 0.7},
        seed++);
  }
}

TEST(ParallelSpecObjective, AMaskCanBeShared) {
  const SmallTarget target;
  for (const Flavour flavour : {Flavour::kEagle, Flavour::kMedusa})
    expect_plain(target,
                 {.shape = {.flavour = flavour, .masks = 3, .shared_mask = true},
                  .groups = 7,
                  .token_weight = 0.3,
                  .slot_decay = 0.7},
                 2);
  ParallelSpecObjective objective(target.model, {1, 2, 5},
                                  {.shape = {.masks = 3, .shared_mask = true}});
  test::perturb_all(objective, 1);
  const draft::ParallelSpecModel served = objective.to_model();
  ASSERT_EQ(served.masks(), 3);
  for (const std::vector<float>* const masks : {&served.mask_embeddings, &served.mask_features})
    for (std::size_t i = 64; i < masks->size(); ++i) ASSERT_EQ((*masks)[i], (*masks)[i - 64]) << i;
}

TEST(ParallelSpecObjective, TheFeedForwardNetworkCanHaveTheUnitsThatCanAddTheMost) {
  const SmallTarget target;
  const auto units = [&](int count) {
    return ParallelSpecObjective(target.model, {1, 2, 5},
                                 {.shape = {.masks = 2, .feed_forward = count}});
  };
  const DraftLayer whole = units(0).layer_drafter()->layer();
  ParallelSpecObjective some = units(5);
  const DraftLayer& kept = some.layer_drafter()->layer();
  const std::int64_t width = whole.down.size(0), all = whole.down.size(1);
  ASSERT_EQ(kept.gate_up.sizes(), (std::vector<std::int64_t>{10, width}));
  ASSERT_EQ(kept.down.sizes(), (std::vector<std::int64_t>{width, 5}));
  EXPECT_EQ(some.to_model().layer.config.ffn_width, 5);
  std::vector<std::pair<double, std::int64_t>> worth;
  for (std::int64_t u = 0; u < all; ++u)
    worth.emplace_back(whole.gate_up[u].norm().item<double>() *
                           whole.gate_up[all + u].norm().item<double>() *
                           whole.down.select(1, u).norm().item<double>(),
                       u);
  std::sort(worth.rbegin(), worth.rend());
  std::vector<std::int64_t> expected;
  for (std::size_t i = 0; i < 5; ++i) expected.push_back(worth[i].second);
  std::sort(expected.begin(), expected.end());
  for (std::int64_t i = 0; i < 5; ++i) {
    const std::int64_t u = expected[static_cast<std::size_t>(i)];
    EXPECT_TRUE(at::equal(kept.gate_up[i], whole.gate_up[u])) << u;
    EXPECT_TRUE(at::equal(kept.gate_up[5 + i], whole.gate_up[all + u])) << u;
    EXPECT_TRUE(at::equal(kept.down.select(1, i), whole.down.select(1, u))) << u;
  }
  expect_plain(target,
               {.shape = {.masks = 2, .feed_forward = 32}, .groups = 7, .token_weight = 0.3}, 3);
  test::expect_input_error([&] { units(static_cast<int>(all) + 1); }, "--feed-forward: expected 1");
}

TEST(ParallelSpecObjective, GradientsOfMedusasHeadsAreDifferences) {
  const SmallTarget target;
  const int vocab = target.model.config.vocab;
  const ParallelSpecOptions options = {.shape = {.flavour = Flavour::kMedusaHeads, .masks = 3},
                                       .groups = 5,
                                       .token_weight = 0.3,
                                       .slot_decay = 0.8};
  ParallelSpecObjective objective(target.model, test::two_of_three(vocab), options, at::kDouble);
  const GroupBatch batch = objective.batch(test::random_texts(vocab, 2));
  const at::Tensor residual = objective.parameters().front().value;
  ASSERT_EQ(residual.sizes(), (std::vector<std::int64_t>{3 * 64, 64}));
  const auto loss = [&] {
    return parallelspec_loss(objective.drafter().outputs(batch, Precision::kF32),
                             objective.drafter().head(), batch, options);
  };
  // From where training begins, and from elsewhere.
  for (const std::uint64_t seed : {0, 7}) {
    if (seed > 0) test::perturb_all(objective, seed);
    residual.mutable_grad() = at::Tensor();
    loss().backward();
    const at::Tensor gradient = residual.grad().clone();
    const at::NoGradGuard no_gradients;
    const auto at_step = [&](const at::Tensor& number, double step) {
      number.add_(step);
      const double value = loss().item<double>();
      number.sub_(step);
      return value;
    };
    for (std::int64_t i = 0; i < residual.numel(); i += 101) {
      const at::Tensor number = residual.view(-1)[i];
      const double difference = (at_step(number, 1e-5) - at_step(number, -1e-5)) / 2e-5;
      EXPECT_NEAR(gradient.view(-1)[i].item<double>(), difference, 1e-7) << i;
    }
    EXPECT_GT(gradient.abs().max().item<double>(), 1e-3);
  }
}

TEST(ParallelSpecObjective, MedusasHeadsBeginAsTheTargetsHead) {
  const SmallTarget target;
  const int vocab = target.model.config.vocab;
  ParallelSpecObjective objective(target.model, test::two_of_three(vocab),
                                  {.shape = {.flavour = Flavour::kMedusaHeads, .masks = 2}});
  const std::vector<data::Trace> traces = {test::trace_with_states(6, 9, vocab, 0, 1)};
  const GroupBatch batch = objective.batch(traces);
  const at::Tensor outputs = objective.drafter().outputs(batch, Precision::kF32);
  ASSERT_GT(batch.groups.size(), 3u);
  for (std::size_t group = 0; group < batch.groups.size(); ++group) {
    // The state before the token before the first that is drafted: what chose the root.
    const int position = 6 + batch.groups[group].second - 2;
    for (int i = 0; i < 64; ++i)
      for (int slot = 0; slot < 2; ++slot)
        ASSERT_EQ(outputs[static_cast<std::int64_t>(group)][slot][i].item<float>(),
                  bfloat16_to_float(
                      traces[0].states[0].values[static_cast<std::size_t>(64 * position + i)]));
  }
}

TEST(ParallelSpecObjective, SoftLabelsAreDistillations) {
  const SmallTarget target;
  const int vocab = target.model.config.vocab;
  const ParallelSpecOptions options{.groups = 5, .feature_weight = 0, .tokens = {}};
  ParallelSpecObjective objective(target.model, test::two_of_three(vocab), options, at::kDouble);
  test::perturb_all(objective, 4);
  const std::vector<data::Trace> traces = test::random_texts(vocab, 4);
  const GroupBatch batch = objective.batch(traces);
  const at::Tensor outputs = objective.drafter().outputs(batch, Precision::kF32);
  double expected = 0;
  for (std::int64_t slot = 0; slot < 5; ++slot)
    expected +=
        0.1 * distillation(outputs.select(1, slot).contiguous(), objective.drafter().head(),
                           batch.targets[static_cast<std::size_t>(slot)], {}, Precision::kF32)
                  .item<double>();
  EXPECT_GT(expected, 0);
  EXPECT_NEAR(objective.accumulate(traces, 1).loss, expected, 1e-9 * expected);
}

/// The most bytes of tensors at a time.
struct PeakMemory : c10::MemoryReportingInfoBase {
  std::int64_t now = 0, peak = 0;

  void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t,
                         c10::Device) override {
    now += bytes;
    peak = std::max(peak, now);
  }
  bool memoryProfilingEnabled() const override { return true; }
};

TEST(ParallelSpecObjective, MemoryGrowsWithTheLengthAndNotWithItsSquare) {
  const SmallTarget target;
  const int vocab = target.model.config.vocab;
  ParallelSpecObjective objective(target.model, test::two_of_three(vocab),
                                  {.shape = {.masks = 2}, .groups = 0, .most_context = 0});
  std::int64_t before = 0;
  for (const int length : {512, 1024, 2048, 4096}) {
    const std::vector<data::Trace> traces = {
        test::trace_with_states(length / 2, length / 2, vocab, 0, 1)};
    const auto memory = std::make_shared<PeakMemory>();
    {
      const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, memory);
      objective.accumulate(traces, 1);
    }
    EXPECT_GT(memory->peak, 4 * length * 64);
    if (before > 0) {
      EXPECT_LT(static_cast<double>(memory->peak), 2.2 * static_cast<double>(before)) << length;
    }
    before = memory->peak;
  }
}

}  // namespace
}  // namespace outrider::train
