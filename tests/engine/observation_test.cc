#include "runtime/engine/observation.h"

#include <gtest/gtest.h>

#include "tests/support/tiny_engine.h"

namespace outrider::engine {
namespace {

using Heads = std::vector<Head>;

/// A chain of five rows, of which the first three are kept.
class KeptRows : public testing::Test {
 protected:
  KeptRows() {
    pass_.request.heads = {{1, 0}, {2, 3}};
    pass_.sequences = {cache_.get()};
    pass_.add_chain(0, std::vector<Token>{5, 6, 7, 8, 9}, false);
  }

  void forward_and_keep() {
    tiny_.engine.forward(pass_);
    cache_->commit_first(3);
  }
  std::vector<float> attention(int row, const std::vector<int>& positions,
                               const Heads& heads = {{1, 0}, {2, 3}}) const {
    std::vector<float> found;
    pass_.observed.attention(row, heads, positions, found);
    return found;
  }

  test::TinyEngine tiny_{model::WeightType::kF32, 1, 1};
  std::unique_ptr<KvCache> cache_ = tiny_.engine.make_cache(8);
  Pass pass_;
};

TEST_F(KeptRows, GiveTheirAttentionAtAscendingPositions) {
  forward_and_keep();
  EXPECT_EQ(attention(2, {0, 2}).size(), 4u);
  EXPECT_EQ(attention(2, {}).size(), 0u);
  EXPECT_THROW(attention(2, {2, 0}), std::logic_error);
  EXPECT_THROW(attention(2, {-1, 0}), std::logic_error);
  EXPECT_THROW(attention(1, {0, 2}), std::logic_error);  // after the row's own
}

TEST_F(KeptRows, GiveAttentionAndDroppedOnesDoNot) {
  forward_and_keep();
  EXPECT_NO_THROW(attention(2, {0}));
  EXPECT_THROW(attention(3, {0}), std::logic_error);
}

TEST_F(KeptRows, GiveTheAttentionOfTheHeadsNamedInTheirOrder) {
  forward_and_keep();
  const auto both = attention(2, {0, 1});
  EXPECT_EQ(attention(2, {0, 1}, {{2, 3}}), std::vector(both.begin() + 2, both.end()));
  EXPECT_EQ(attention(2, {0, 1}, {{2, 3}, {1, 0}}),
            (std::vector{both[2], both[3], both[0], both[1]}));
  EXPECT_NE(both[0], both[2]);
}

TEST_F(KeptRows, AreRequestedOfHeadsAndLayersOfTheModelOnly) {
  for (const Head none : {Head{0, 0}, {3, 0}, {1, -1}, {1, 4}}) {
    pass_.request = {.heads = {none}};
    EXPECT_THROW(tiny_.engine.forward(pass_), std::logic_error) << none.layer << ":" << none.head;
  }
  for (const int none : {-2, 3}) {
    pass_.request = {.layers = {none}};
    EXPECT_THROW(tiny_.engine.forward(pass_), std::logic_error) << none;
  }
}

TEST_F(KeptRows, RefuseWhatWasNotRequested) {
  pass_.request = {.layers = {1, kFinalNorm}, .heads = {{1, 0}}};
  forward_and_keep();
  const Observation& observed = pass_.observed;
  EXPECT_EQ(observed.state(1, 4).size(), 64u);
  EXPECT_EQ(observed.state(kFinalNorm, 4).size(), 64u);
  EXPECT_TRUE(observed.has_states(1) && observed.has_attention({1, 0}));
  EXPECT_FALSE(observed.has_states(0) || observed.has_states(2) || observed.has_states(9));
  EXPECT_FALSE(observed.has_attention({1, 1}) || observed.has_attention({9, 0}));
  EXPECT_THROW(observed.state(2, 0), std::logic_error);
  EXPECT_THROW(observed.best_keys(0), std::logic_error);
  EXPECT_THROW(attention(2, {0}, {{1, 1}}), std::logic_error);
  // A pass that nothing is requested of hands nothing out.
  pass_.request = {};
  cache_->truncate(0);
  forward_and_keep();
  EXPECT_THROW(observed.state(1, 0), std::logic_error);
  EXPECT_THROW(attention(2, {0}, {{1, 0}}), std::logic_error);
}

TEST_F(KeptRows, AreTheSameForEveryObserverOfOnePass) {
  const TapRequest one = {.layers = {2, 0}, .heads = {{2, 3}, {1, 1}}};
  const TapRequest other = {
      .layers = {kFinalNorm, 2}, .heads = {{1, 1}, {1, 2}}, .best_keys = true};
  // Twice the same layer and head are one.
  const TapRequest doubled = {.layers = {0, 2, 0}, .heads = {{1, 1}, {2, 3}, {1, 1}}};
  TapRequest merged = one;
  merged.merge(other);
  EXPECT_EQ(merged, (TapRequest{{2, 0, kFinalNorm}, {{2, 3}, {1, 1}, {1, 2}}, true}));
  const auto observed = [&](const TapRequest& forwarded, const TapRequest& asked) {
    pass_.request = forwarded;
    cache_->truncate(0);
    forward_and_keep();
    std::vector<float> all = attention(2, {0, 1, 2}, asked.heads);
    for (const int layer : asked.layers)
      for (int row = 0; row < 5; ++row)
        for (const float number : pass_.observed.state(layer, row)) all.push_back(number);
    for (int row = 0; asked.best_keys && row < 5; ++row)
      for (const int key : pass_.observed.best_keys(row)) all.push_back(static_cast<float>(key));
    return all;
  };
  EXPECT_EQ(observed(merged, one), observed(one, one));
  EXPECT_EQ(observed(merged, other), observed(other, other));
  EXPECT_EQ(observed(doubled, one), observed(one, one));
}

}  // namespace
}  // namespace outrider::engine
