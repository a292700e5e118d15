// A step of training on the processor is what it was: for the draft model and Medusa's drafters before cards could train.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "tests/train/parallelspec_traces.h"
#include "tests/train/small_target.h"
#include "train/draft/draft_objective.h"

namespace outrider::train {
namespace {

struct StepOnProcessor {
  std::string name;
  std::optional<ParallelSpecShape> shape;  // none: a draft model
  double loss, gradient;                   // the norm of all parameters' gradients
};

/// In doubles, so that no order of additions shows. The draft model's, Medusa's and Medusa's heads' numbers are those of commit
/// 056dcf4b, the last that trained on processors alone; EAGLE's of 6d71c289, since its rows have been read in units in between.
const StepOnProcessor kSteps[] = {
    {"Draft", std::nullopt, 47.193553360479598, 79.86441049855516},
    {"Medusa", ParallelSpecShape{.flavour = Flavour::kMedusa}, 15.652493672370209,
     7.771258694226912},
    {"MedusaOfStates", ParallelSpecShape{.flavour = Flavour::kMedusa, .token_inputs = false},
     13.54644715164007, 8.817652211735373},
    {"MedusaHeads", ParallelSpecShape{.flavour = Flavour::kMedusaHeads}, 15.329883854214717,
     2.473112470957036},
    {"Eagle", ParallelSpecShape{}, 46.598115705623854, 15.694746573798957},
    {"EagleOfOneMask", ParallelSpecShape{.shared_mask = true}, 46.714489401125071,
     26.043190310033268},
    {"EagleAr", ParallelSpecShape{.flavour = Flavour::kEagleAr, .masks = 0}, 21.382340999138037,
     10.07118105345342},
};

class StepsOnProcessor : public testing::TestWithParam<StepOnProcessor> {};

TEST_P(StepsOnProcessor, AreWhatTheyWere) {
  const test::SmallTarget target;
  const std::vector<Token> head = test::two_of_three(target.model.config.vocab);
  const std::vector<data::Trace> traces = test::random_texts(target.model.config.vocab, 5);
  const auto expect = [&](Objective& objective) {
    for (const Parameter& parameter : objective.parameters())
      parameter.value.mutable_grad() = at::zeros_like(parameter.value);
    EXPECT_NEAR(objective.accumulate(traces, 1).loss / GetParam().loss, 1, 1e-12);
    double squares = 0;
    for (const Parameter& parameter : objective.parameters())
      squares += std::pow(parameter.value.grad().norm().item<double>(), 2);
    EXPECT_NEAR(std::sqrt(squares) / GetParam().gradient, 1, 1e-12);
  };
  if (!GetParam().shape) {
    DraftObjective objective(target.model, head, {.loss = {.hard_share = 0.3}}, at::kDouble);
    return expect(objective);
  }
  ParallelSpecOptions options{.shape = *GetParam().shape, .groups = 20, .slot_decay = 0.8};
  options.final_norm = options.shape.flavour != Flavour::kMedusaHeads;
  ParallelSpecObjective objective(target.model, head, options, at::kDouble);
  test::perturb_all(objective, 3);
  expect(objective);
}

INSTANTIATE_TEST_SUITE_P(, StepsOnProcessor, testing::ValuesIn(kSteps),
                         [](const auto& step) { return step.param.name; });

}  // namespace
}  // namespace outrider::train
