// In the last layer rows without logits are computed as far as others need them.

#include <gtest/gtest.h>

#include "tests/support/tiny_engine.h"

namespace outrider::engine {
namespace {

/// What a pass leaves: the logits of its last row, and the keys and values of all.
struct Left {
  std::vector<float> logits;
  std::vector<std::uint8_t> kept;

  friend bool operator==(const Left&, const Left&) = default;
};

class RowsWithoutLogits : public testing::TestWithParam<model::WeightType> {
 protected:
  static constexpr int kRows = 13;

  /// @param first  the first row that wants logits, up to kRows
  static Left left(Engine& engine, int first, const TapRequest& request = {}) {
    const auto cache = engine.make_cache(kRows + 1);
    Pass pass;
    pass.sequences = {cache.get()};
    pass.request = request;
    pass.add_chain(0, test::random_tokens(kRows, 100, 5), false);
    for (int row = first; row < kRows; ++row)
      pass.rows[static_cast<std::size_t>(row)].wants_logits = true;
    engine.forward(pass);
    Left result;
    const auto logits = pass.logits_of(kRows - 1);
    result.logits.assign(logits.begin(), logits.end());
    cache->commit_first(kRows);
    for (int layer = 0; layer < engine.config().layers; ++layer)
      for (int slot = 0; slot < kRows; ++slot)
        for (const auto& bytes : {cache->key_bytes(layer, slot), cache->value_bytes(layer, slot)})
          result.kept.insert(result.kept.end(), bytes.begin(), bytes.end());
    return result;
  }
};

TEST_P(RowsWithoutLogits, ChangeNoBitOfTheOthers) {
  for (const int threads : {1, 2, 3}) {
    test::TinyEngine tiny(GetParam(), 4, threads);
    const Left all = left(tiny.engine, 0);
    ASSERT_FALSE(all.logits.empty());
    for (const int first : {1, 7, kRows - 2, kRows - 1})
      EXPECT_EQ(left(tiny.engine, first), all) << first << ", " << threads << " threads";
    EXPECT_EQ(left(tiny.engine, kRows).kept, all.kept) << threads << " threads";
  }
}

TEST_P(RowsWithoutLogits, AreObservedAllTheSame) {
  test::TinyEngine tiny(GetParam(), 4, 2);
  const int last = tiny.engine.config().layers;
  const auto observed = [&](int first, const TapRequest& request) {
    const auto cache = tiny.engine.make_cache(kRows);
    Pass pass;
    pass.sequences = {cache.get()};
    pass.request = request;
    pass.add_chain(0, test::random_tokens(kRows, 100, 5), false);
    if (first < kRows) pass.rows[static_cast<std::size_t>(first)].wants_logits = true;
    tiny.engine.forward(pass);
    std::vector<float> numbers;
    for (const int layer : request.layers)
      for (int row = 0; row < kRows; ++row) {
        const auto state = pass.observed.state(layer, row);
        numbers.insert(numbers.end(), state.begin(), state.end());
      }
    for (const Head& head : request.heads)
      for (int row = 0; row < kRows; ++row) {
        const auto query = pass.observed.query(row, head);
        numbers.insert(numbers.end(), query.begin(), query.end());
        numbers.push_back(pass.observed.softmax(row, head).total);
      }
    if (request.best_keys)
      for (int row = 0; row < kRows; ++row)
        numbers.push_back(static_cast<float>(pass.observed.best_key(row, {last, 1})));
    return numbers;
  };
  for (const TapRequest& request : {TapRequest{.layers = {last}},
                                    {.layers = {kFinalNorm}},
                                    {.layers = {1, 0}},
                                    {.heads = {{last, 1}}},
                                    {.heads = {{1, 0}}},
                                    {.best_keys = true}})
    EXPECT_EQ(observed(kRows, request), observed(0, request));
}

INSTANTIATE_TEST_SUITE_P(, RowsWithoutLogits,
                         testing::Values(model::WeightType::kF32, model::WeightType::kQ4_1));

}  // namespace
}  // namespace outrider::engine
