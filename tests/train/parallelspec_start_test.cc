#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "tests/support/expect_input_error.h"
#include "tests/train/gradient_check.h"
#include "tests/train/small_target.h"
#include "train/modules/size.h"
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

/// The parameters of a small drafter's feed-forward network.
struct Units {
  at::Tensor gates, ups, downs;  // [units, width]

  explicit Units(const DraftLayer& layer)
      : gates(layer.gate_up.detach().chunk(2)[0]),
        ups(layer.gate_up.detach().chunk(2)[1]),
        downs(layer.down.detach().t()) {}
};

TEST(ParallelSpecDrafter, AWiderOneStartsAsTheServedOneWithTheNextStrongestUnits) {
  const test::SmallTarget small;
  const model::Model& target = small.model;
  const auto drafter = [&](int units) {
    return ParallelSpecObjective(target, {1, 2}, {.shape = {.masks = 2, .feed_forward = units}});
  };
  ParallelSpecObjective narrow = drafter(5), wide = drafter(9);
  const Units own(drafter(9).layer_drafter()->layer()), first(drafter(5).layer_drafter()->layer());
  std::uint64_t seed = 7;
  for (const Parameter& parameter : narrow.parameters())
    parameter.value.detach().add_(
        test::random_numbers(parameter.value.sizes(), seed++).to(parameter.value));
  wide.served_drafter()->start_from(narrow.to_model());

  const Units earlier(narrow.layer_drafter()->layer()), later(wide.layer_drafter()->layer());
  EXPECT_TRUE(at::equal(later.gates.slice(0, 0, 5), earlier.gates));
  EXPECT_TRUE(at::equal(later.ups.slice(0, 0, 5), earlier.ups));
  EXPECT_TRUE(at::equal(later.downs.slice(0, 0, 5), earlier.downs));
  EXPECT_EQ(later.downs.slice(0, 5).abs().max().item<double>(), 0);
  // The others are those that the narrow one left out, each once, at the size of the first.
  const auto is_row_of = [](const at::Tensor& row, const at::Tensor& rows) {
    for (std::int64_t i = 0; i < rows.size(0); ++i)
      if (at::cosine_similarity(row, rows[i], 0).item<double>() > 1 - 1e-6) return i;
    return std::int64_t{-1};
  };
  std::set<std::int64_t> added;
  for (std::int64_t u = 5; u < 9; ++u) {
    const std::int64_t from = is_row_of(later.gates[u], own.gates);
    ASSERT_GE(from, 0) << u;
    added.insert(from);
    EXPECT_EQ(is_row_of(later.ups[u], own.ups), from);
    EXPECT_EQ(is_row_of(own.gates[from], first.gates), -1);
  }
  EXPECT_EQ(added.size(), 4u);
  for (const auto& [all, some] : {std::pair(later.gates, earlier.gates), {later.ups, earlier.ups}})
    EXPECT_NEAR(root_mean_square(all.slice(0, 5)), root_mean_square(some), 1e-5);
  // Everything else is the served one's.
  const auto expected = narrow.parameters(), found = wide.parameters();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].name == "layer.gate_up" || found[i].name == "layer.down") continue;
    EXPECT_TRUE(at::equal(found[i].value, expected[i].value)) << found[i].name;
  }
}

}  // namespace
}  // namespace outrider::train
