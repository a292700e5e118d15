#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "runtime/engine/engine.h"
#include "tests/data/random_store.h"
#include "tests/support/expect_input_error.h"
#include "tests/train/parallelspec_traces.h"
#include "tests/train/separate_device.h"
#include "tests/train/small_target.h"
#include "train/device/load_cuda.h"
#include "train/device/training_device.h"
#include "train/draft/draft_objective.h"
#include "train/draft/fit_draft.h"
#include "train/parallelspec/fit_parallelspec.h"
#include "train/trainer/trainer.h"

namespace outrider::train {
namespace {

TEST(SeparateDevice, ComputesAsTheProcessorDoes) {
  const at::Tensor x = test::random_numbers({3, 4}, 1), there = x.to(test::separate_device());
  EXPECT_TRUE(at::equal((there * 2 + there.t().contiguous().t()).cpu(), x * 3));
  EXPECT_TRUE(at::equal(at::softmax(there, -1).cpu(), at::softmax(x, -1)));
  EXPECT_EQ(there.sum().item<double>(), x.sum().item<double>());
}

TEST(SeparateDevice, RefusesTensorsOfTheProcessor) {
  const at::Tensor x = test::random_numbers({3}, 1), there = x.to(test::separate_device());
  EXPECT_ANY_THROW(there + x);
  EXPECT_ANY_THROW(at::mm(there.view({1, 3}), x.view({3, 1})));
  EXPECT_ANY_THROW(there.index_select(0, at::tensor({0}, at::kLong)));
  EXPECT_DEATH(std::printf("%f", *there.const_data_ptr<double>()), "");
}

/// The loss and the gradients of a step on the separate device are the processor's.
void expect_same_step(Objective& here, Objective& there, std::span<const data::Trace> traces) {
  const std::int64_t before = test::separate_operations();
  for (Objective* const objective : {&here, &there})
    for (const Parameter& parameter : objective->parameters())
      parameter.value.mutable_grad() = at::zeros_like(parameter.value);
  const StepLoss expected = here.accumulate(traces, 1), found = there.accumulate(traces, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_NEAR(found.loss, expected.loss, 1e-9 * expected.loss);
  const std::vector<Parameter> all = here.parameters(), others = there.parameters();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(others[i].value.device(), test::separate_device()) << all[i].name;
    const at::Tensor wanted = all[i].value.grad(), got = others[i].value.grad().cpu();
    EXPECT_GT(wanted.norm().item<double>(), 0) << all[i].name;
    EXPECT_LT((got - wanted).norm().item<double>(), 1e-9 * (1 + wanted.norm().item<double>()))
        << all[i].name;
  }
  EXPECT_GT(test::separate_operations(), before + 100);
}

at::TensorOptions separate(at::ScalarType type) {
  return at::device(test::separate_device()).dtype(type);
}

std::vector<data::Trace> texts(const model::Model& target) {
  return test::random_texts(target.config.vocab, 5, {2, 3, 4, engine::kFinalNorm});
}

/// In what training computes on a card: parameters of f32 with products of bf16; and in doubles, which show every mistake.
struct StepNumbers {
  at::ScalarType type;
  Precision precision;
};
constexpr StepNumbers kStepNumbers[] = {{at::kDouble, Precision::kF32},
                                        {at::kFloat, Precision::kBf16}};

class StepOnDevice : public testing::TestWithParam<StepNumbers> {};

TEST_P(StepOnDevice, OfTheDraftModel) {
  const auto [type, precision] = GetParam();
  const test::SmallTarget target;
  const std::vector<Token> head = test::two_of_three(target.model.config.vocab);
  const DraftOptions options{.loss = {.hard_share = 0.3}, .precision = precision};
  DraftObjective here(target.model, head, options, type);
  DraftObjective there(target.model, head, options, separate(type));
  expect_same_step(here, there, texts(target.model));
}

TEST_P(StepOnDevice, OfEveryParallelDrafter) {
  const auto [type, precision] = GetParam();
  const test::SmallTarget target(8);
  const std::vector<Token> head = test::two_of_three(target.model.config.vocab);
  std::vector<ParallelSpecShape> shapes = {
      {.flavour = Flavour::kEagle},
      {.flavour = Flavour::kEagle, .shared_mask = true},
      {.flavour = Flavour::kEagleAr, .masks = 0},
      {.flavour = Flavour::kMedusa, .token_inputs = true},
      {.flavour = Flavour::kMedusa, .token_inputs = false},
      {.flavour = Flavour::kMedusaHeads},
      {.flavour = Flavour::kEagle,
       .shared_mask = true,
       .exported = ExportShape{.layers = {2, 3, 4}, .mask_token = 1}}};
  for (const ParallelSpecShape& shape : shapes) {
    SCOPED_TRACE(draft::name_of(shape.flavour));
    ParallelSpecOptions options{
        .shape = shape, .groups = 20, .slot_decay = 0.8, .precision = precision};
    options.final_norm = shape.flavour != Flavour::kMedusaHeads;
    ParallelSpecObjective here(target.model, head, options, type);
    ParallelSpecObjective there(target.model, head, options, separate(type));
    test::perturb_all(here, 3);
    const c10::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < here.parameters().size(); ++i)
      there.parameters()[i].value.copy_(here.parameters()[i].value);
    const c10::AutoGradMode gradients(true);
    expect_same_step(here, there, texts(target.model));
  }
}

INSTANTIATE_TEST_SUITE_P(, StepOnDevice, testing::ValuesIn(kStepNumbers), [](const auto& numbers) {
  return std::string(name_of(numbers.param.precision));
});

TEST(Device, HasProductsOfBf16WhereNoneAreAskedFor) {
  EXPECT_EQ(precision_of("auto", test::separate_device()), Precision::kBf16);
}

/// Numbers of a validation on the separate device are near the processor's.
void expect_same_validation(Objective& here, Objective& there,
                            std::span<const data::Trace> traces) {
  const Validation expected = here.validate(traces), found = there.validate(traces);
  ASSERT_EQ(found.figures.size(), expected.figures.size());
  for (std::size_t i = 0; i < found.figures.size(); ++i) {
    EXPECT_EQ(found.figures[i].first, expected.figures[i].first);
    EXPECT_NEAR(found.figures[i].second, expected.figures[i].second, 1e-4)
        << found.figures[i].first;
  }
}

TEST(Device, FitsAndValidatesTheDraftModel) {
  const test::SmallTarget target;
  const std::vector<Token> head = test::two_of_three(target.model.config.vocab);
  const std::vector<data::Trace> traces = texts(target.model);
  DraftObjective here(target.model, head, {}, at::kFloat);
  DraftObjective there(target.model, head, {}, separate(at::kFloat));
  const auto engine = engine::make_engine(target.model, {.threads = 1});
  const DraftFit expected = fit_draft(here, *engine, traces),
                 found = fit_draft(there, *engine, traces);
  EXPECT_EQ(found.scales, expected.scales);
  EXPECT_NEAR(found.loss, expected.loss, 1e-4);
  expect_same_validation(here, there, traces);
  EXPECT_EQ(there.to_model().layers.size(), 2U);
}

TEST(Device, FitsAndValidatesParallelDrafters) {
  const test::SmallTarget target;
  const std::vector<Token> head = test::two_of_three(target.model.config.vocab);
  const std::vector<data::Trace> traces = texts(target.model);
  ParallelSpecObjective here(target.model, head, {}, at::kFloat);
  ParallelSpecObjective there(target.model, head, {}, separate(at::kFloat));
  const auto fit = [&](ParallelSpecObjective& objective) {
    ParallelSpecFitter fitter(objective);
    fitter.add(traces);
    return fitter.finish();
  };
  const ParallelSpecFit expected = fit(here), found = fit(there);
  EXPECT_NEAR(found.explained, expected.explained, 1e-4);
  expect_same_validation(here, there, traces);
  EXPECT_EQ(there.to_model().masks(), 4);
}

/// Steps of a trainer on a drafter, from the beginning or from a checkpoint.
Checkpoint trained(Objective& objective, const std::vector<data::TraceStore>& stores,
                   std::int64_t stop_after, const Checkpoint* from) {
  TraceMix data(stores, {.seed = 4});
  const std::vector<data::Trace> validation = TraceMix(stores, {.seed = 4}).next(2);
  MetricsFile metrics({}, 0);
  std::int64_t steps = 0;
  TrainingWatch watch;
  watch.interrupted = [&] { return steps == stop_after; };
  watch.on_step = [&](const StepReport&) { ++steps; };
  TrainingOptions options;
  options.batch = 2;
  options.schedule = {.peak = 0.01, .steps = 4};
  Trainer trainer(objective, data, validation, options, {}, metrics, watch);
  if (from != nullptr) trainer.resume(*from);
  trainer.run();
  return trainer.state();
}

TEST(Device, ARunGoesOnInTheSameBits) {
  const test::SmallTarget target(1);
  data::StoreIdentity identity = test::small_identity();
  identity.vocab = target.model.config.vocab;
  const data::ShardPlan plan{40, 12, 1, 1};
  data::TraceWriter writer(target.folder.path() / "store", identity, plan);
  for (const int shard : writer.missing())
    writer.write(shard, test::random_shard(identity, plan, shard));
  std::vector<data::TraceStore> stores;
  stores.emplace_back(target.folder.path() / "store");
  const auto objective = [&](at::TensorOptions tensors) {
    return DraftObjective(target.model, {0, 2, 3, 5, 8, 13, 21, 34}, {.layers = {1}}, tensors);
  };
  DraftObjective straight = objective(separate(at::kFloat)),
                 first = objective(separate(at::kFloat)), second = objective(separate(at::kFloat)),
                 here = objective(at::kFloat);
  const Checkpoint expected = trained(straight, stores, -1, nullptr);
  const Checkpoint half = trained(first, stores, 2, nullptr);
  EXPECT_EQ(half.step, 2);
  EXPECT_EQ(state_hash(trained(second, stores, -1, &half)), state_hash(expected));
  // The processor can go on too, near to what the device would have computed.
  const Checkpoint across = trained(here, stores, -1, &half);
  ASSERT_EQ(across.step, 4);
  for (std::size_t i = 0; i < across.parameters.size(); ++i)
    for (std::size_t j = 0; j < across.parameters[i].value.size(); ++j)
      ASSERT_NEAR(across.parameters[i].value[j], expected.parameters[i].value[j], 1e-3);
}

TEST(TrainingDevice, IsTheProcessorWhereItIsAskedFor) {
  const TrainingDevice device = training_device({engine::DeviceChoice::Kind::kCpu});
  EXPECT_TRUE(device.device.is_cpu());
  EXPECT_EQ(device.gpu, "");
}

TEST(TrainingDevice, SaysWhatIsMissing) {
  const std::string missing = load_cuda("libnowhere_cuda.so");
  for (const char* const part : {"libnowhere_cuda.so", "cannot open shared object file",
                                 "torch 2.11.0", "LD_LIBRARY_PATH", "--device cpu"})
    EXPECT_NE(missing.find(part), std::string::npos) << part << ": " << missing;
  test::expect_input_error([] { training_device({engine::DeviceChoice::Kind::kCudaEmulated}); },
                           "--device cuda-emulated", "--device cpu");
}

}  // namespace
}  // namespace outrider::train
