#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/support/expect_input_error.h"
#include "tests/train/gradient_check.h"
#include "tests/train/small_target.h"
#include "train/parallelspec/parallelspec_objective.h"

namespace outrider::train {
namespace {

TEST(ParallelSpecDrafter, StartsFromAServedDrafter) {
  const test::SmallTarget small;
  const model::Model& target = small.model;
  const std::vector<Token> some = {1, 2, 5}, more = {1, 2, 3, 5};
  for (const Flavour flavour : draft::kFlavours)
    for (const bool norm : {true, false}) {
      const int masks = flavour == Flavour::kEagleAr ? 0 : 2;
      const ParallelSpecOptions options = {.shape = {.flavour = flavour, .masks = masks},
                                           .final_norm = norm};
      ParallelSpecObjective earlier(target, some, options), later(target, more, options);
      std::uint64_t seed = 7;
      for (const Parameter& parameter : earlier.parameters())
        parameter.value.detach().add_(
            test::random_numbers(parameter.value.sizes(), seed++).to(parameter.value));
      later.served_drafter()->start_from(earlier.to_model());
      const auto expected = earlier.parameters(), found = later.parameters();
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_TRUE(at::equal(found[i].value, expected[i].value)) << found[i].name;
    }
}

TEST(ParallelSpecDrafter, StartsFromADrafterOfItsShape) {
  const test::SmallTarget small;
  const model::Model& target = small.model;
  const draft::ParallelSpecModel served =
      ParallelSpecObjective(target, {1, 2}, {.shape = {.masks = 2}}).to_model();
  ParallelSpecObjective later(target, {1, 2}, {.shape = {.masks = 3}});
  test::expect_input_error([&] { later.served_drafter()->start_from(served); },
                           "mask_embeddings has the shape");
  ParallelSpecObjective narrow(target, {1, 2}, {.shape = {.masks = 2, .feed_forward = 32}});
  test::expect_input_error([&] { narrow.served_drafter()->start_from(served); },
                           "gate_up has the shape");
  const auto heads = [&](int count) {
    return ParallelSpecObjective(target, {1, 2},
                                 {.shape = {.flavour = Flavour::kMedusaHeads, .masks = count}});
  };
  ParallelSpecObjective three = heads(3);
  test::expect_input_error([&] { three.served_drafter()->start_from(heads(2).to_model()); },
                           "residual has the shape [128, 64], expected [192, 64]");
}

}  // namespace
}  // namespace outrider::train
