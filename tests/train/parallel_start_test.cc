#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"
#include "tests/train/gradient_check.h"
#include "train/parallel/parallel_objective.h"

namespace outrider::train {
namespace {

model::Model two_layers(const test::TemporaryFolder& folder) {
  return model::load_model(test::write_tiny_llama(
      folder.path(), "tiny.gguf",
      {.layers = 2, .width = 64, .heads = 4, .kv_heads = 2, .head_width = 32, .ffn_width = 96}, 3,
      model::WeightType::kF32));
}

TEST(ParallelDrafter, StartsFromAServedDrafter) {
  const test::TemporaryFolder folder;
  const model::Model target = two_layers(folder);
  const std::vector<Token> some = {1, 2, 5}, more = {1, 2, 3, 5};
  for (const Flavour flavour : {Flavour::kEagle, Flavour::kMedusa})
    for (const bool norm : {true, false}) {
      const ParallelOptions options = {.shape = {.flavour = flavour, .masks = 2},
                                       .final_norm = norm};
      ParallelObjective earlier(target, some, options), later(target, more, options);
      std::uint64_t seed = 7;
      for (const Parameter& parameter : earlier.parameters())
        parameter.value.detach().add_(
            test::random_numbers(parameter.value.sizes(), seed++).to(parameter.value));
      later.drafter().start_from(earlier.to_model());
      const auto expected = earlier.parameters(), found = later.parameters();
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_TRUE(at::equal(found[i].value, expected[i].value)) << found[i].name;
    }
}

TEST(ParallelDrafter, StartsFromADrafterOfItsShape) {
  const test::TemporaryFolder folder;
  const model::Model target = two_layers(folder);
  const draft::ParallelModel served =
      ParallelObjective(target, {1, 2}, {.shape = {.masks = 2}}).to_model();
  ParallelObjective later(target, {1, 2}, {.shape = {.masks = 3}});
  test::expect_input_error([&] { later.drafter().start_from(served); },
                           "mask_embeddings has the shape");
}

}  // namespace
}  // namespace outrider::train
