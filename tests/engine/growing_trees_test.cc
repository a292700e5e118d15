#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime/engine/forward_text.h"
#include "tests/support/tiny_engine.h"

namespace outrider::engine {
namespace {

constexpr int kNone = -1;

/// A tree below a text, whose nodes are forwarded level by level or all at once.
struct Tree {
  std::vector<Token> tokens = {31, 32, 33, 34, 35, 36, 37, 38};
  std::vector<int> parents = {kNone, kNone, 0, 0, 1, 3, 3, 5};
  std::vector<int> levels = {0, 0, 1, 1, 1, 2, 2, 3};
};

/// What a row leaves: its logits, keys and values.
struct Bits {
  std::vector<float> logits;
  std::vector<std::uint8_t> kept;

  friend bool operator==(const Bits&, const Bits&) = default;
};

class GrowingTrees : public testing::TestWithParam<model::WeightType> {
 protected:
  GrowingTrees() : tiny_(GetParam(), 4, 2), text_(test::random_tokens(21, kVocab, 3)) {
    pass_.sequences = {cache_.get()};
    Pass pass;
    forward_text(tiny_.engine, *cache_, pass, text_);
  }

  static constexpr int kVocab = 100;

  std::vector<std::uint8_t> kept(const KvCache& cache, int slot) const {
    std::vector<std::uint8_t> bytes;
    for (int layer = 0; layer < tiny_.engine.config().layers; ++layer)
      for (const auto& more : {cache.key_bytes(layer, slot), cache.value_bytes(layer, slot)})
        bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
  }

  Bits bits(int row, int slot) const {
    const auto logits = pass_.logits_of(row);
    return {{logits.begin(), logits.end()}, kept(*cache_, slot)};
  }

  /// Of every node.
  std::vector<Bits> at_once() {
    pass_.rows.clear();
    for (std::size_t i = 0; i < tree_.tokens.size(); ++i)
      pass_.rows.push_back({tree_.tokens[i], 0, tree_.parents[i], true});
    tiny_.engine.forward(pass_);
    std::vector<Bits> all;
    for (int row = 0; row < static_cast<int>(pass_.rows.size()); ++row)
      all.push_back(bits(row, cache_->length() + row));
    return all;
  }

  /// The same over a pass for each level, every one of them held; numbers_ are those of the nodes.
  std::vector<Bits> level_by_level() {
    std::vector<Bits> all;
    numbers_.clear();
    for (std::size_t i = 0; i < tree_.tokens.size();) {
      pass_.rows.clear();
      const int level = tree_.levels[i];
      const int first = cache_->held();
      for (; i < tree_.tokens.size() && tree_.levels[i] == level; ++i) {
        const int parent = tree_.parents[i];
        pass_.rows.push_back({tree_.tokens[i], 0,
                              parent == kNone
                                  ? Row::kCommitted
                                  : Row::held(numbers_[static_cast<std::size_t>(parent)]),
                              true});
        numbers_.push_back(first + static_cast<int>(pass_.rows.size()) - 1);
      }
      tiny_.engine.forward(pass_);
      cache_->hold();
      for (int row = 0; row < static_cast<int>(pass_.rows.size()); ++row)
        all.push_back(bits(row, cache_->length() + first + row));
    }
    return all;
  }

  /// The logits after all that is committed and one token more.
  Bits next(Token token) {
    pass_.rows = {{token, 0, Row::kCommitted, true}};
    tiny_.engine.forward(pass_);
    return bits(0, cache_->length());
  }

  Tree tree_;
  test::TinyEngine tiny_;
  std::vector<Token> text_;
  std::unique_ptr<KvCache> cache_ = tiny_.engine.make_cache(64);
  Pass pass_;
  std::vector<int> numbers_;
};

TEST_P(GrowingTrees, HaveTheBitsOfOnePass) {
  const auto expected = at_once();
  EXPECT_EQ(level_by_level(), expected);
  EXPECT_EQ(cache_->held(), 8);
  EXPECT_EQ(cache_->length(), 21);
  cache_->drop();
  EXPECT_EQ(level_by_level(), expected);
}

TEST_P(GrowingTrees, ContinueRowsOfOnePassInTheSame) {
  const auto expected = at_once();
  // The first two levels in a pass, the others in the next, whose rows follow both.
  for (const auto& [first, last] : {std::pair{0, 5}, {5, 8}}) {
    pass_.rows.clear();
    for (int i = first; i < last; ++i) {
      const std::size_t node = static_cast<std::size_t>(i);
      const int parent = tree_.parents[node];
      pass_.rows.push_back({tree_.tokens[node], 0,
                            parent == kNone   ? Row::kCommitted
                            : parent >= first ? parent - first
                                              : Row::held(parent),
                            true});
    }
    tiny_.engine.forward(pass_);
    cache_->hold();
    for (int i = first; i < last; ++i)
      EXPECT_EQ(bits(i - first, 21 + i), expected[static_cast<std::size_t>(i)]) << i;
  }
}

TEST_P(GrowingTrees, CommitAPathOverPassesAndDecodeOn) {
  const auto expected = at_once();
  cache_->drop();
  Pass one;
  forward_text(tiny_.engine, *cache_, one, std::vector<Token>{31, 34, 36, 38});
  const Bits after = next(7);
  cache_->truncate(21);
  level_by_level();
  const std::vector<int> path = {numbers_[0], numbers_[3], numbers_[5], numbers_[7]};
  cache_->commit(path);
  ASSERT_EQ(cache_->length(), 25);
  EXPECT_EQ(cache_->held(), 0);
  const std::vector<int> nodes = {0, 3, 5, 7};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(kept(*cache_, 21 + i),
              expected[static_cast<std::size_t>(nodes[static_cast<std::size_t>(i)])].kept)
        << i;
  EXPECT_EQ(next(7), after);
}

TEST_P(GrowingTrees, DoNotChangeOtherSequences) {
  const auto expected = at_once();
  cache_->drop();
  // Another sequence grows a tree of its own in the same passes.
  const auto other = tiny_.engine.make_cache(40);
  Pass reading;
  forward_text(tiny_.engine, *other, reading, test::random_tokens(5, kVocab, 8));
  pass_.sequences = {other.get(), cache_.get()};
  int number = 0;
  for (std::size_t i = 0; i < tree_.tokens.size(); ++i) {
    const int parent = tree_.parents[i] == kNone ? Row::kCommitted : Row::held(tree_.parents[i]);
    pass_.rows = {{50, 0, i == 0 ? Row::kCommitted : Row::held(number++), true},
                  {tree_.tokens[i], 1, parent, true}};
    tiny_.engine.forward(pass_);
    other->hold();
    cache_->hold();
    EXPECT_EQ(bits(1, 21 + static_cast<int>(i)), expected[i]) << i;
  }
}

TEST_P(GrowingTrees, TakeTheEmbeddingsStateForTheToken) {
  const std::size_t width = static_cast<std::size_t>(tiny_.engine.config().width);
  std::vector<float> states(tree_.tokens.size() * width);
  for (std::size_t i = 0; i < tree_.tokens.size(); ++i)
    tiny_.model.embedding.read_row(tree_.tokens[i], states.data() + i * width);
  const auto expected = at_once();
  for (std::size_t i = 0; i < tree_.tokens.size(); ++i) {
    pass_.rows[i].state = states.data() + i * width;
    pass_.rows[i].token = -5;  // not looked at
  }
  tiny_.engine.forward(pass_);
  for (int row = 0; row < 8; ++row)
    EXPECT_EQ(bits(row, 21 + row), expected[static_cast<std::size_t>(row)]) << row;
  // Another state is another row, and what follows it.
  states[3 * width] += 1;
  tiny_.engine.forward(pass_);
  for (int row = 0; row < 8; ++row)
    EXPECT_EQ(bits(row, 21 + row) == expected[static_cast<std::size_t>(row)],
              row != 3 && row != 5 && row != 6 && row != 7)
        << row;
}

TEST_P(GrowingTrees, GoOnFromACopiedPrefixAsFromTheTextItself) {
  const Bits expected = next(7);
  auto other = tiny_.engine.make_cache(30);
  other->copy_prefix(*cache_, 13);
  Pass pass;
  forward_text(tiny_.engine, *other, pass, std::span(text_).subspan(13));
  EXPECT_EQ(other->length(), 21);
  for (int slot = 0; slot < 21; ++slot) EXPECT_EQ(kept(*other, slot), kept(*cache_, slot));
  pass_.sequences = {other.get()};
  cache_ = std::move(other);
  EXPECT_EQ(next(7), expected);
}

TEST_P(GrowingTrees, RefuseRowsThatAreNotHeldAndForeignCaches) {
  level_by_level();
  const auto refused = [&](int parent) {
    pass_.rows = {{1, 0, parent, true}};
    EXPECT_THROW(tiny_.engine.forward(pass_), std::logic_error) << parent;
  };
  refused(Row::held(8));
  refused(0);
  cache_->commit_first(1);
  refused(Row::held(0));
  test::TinyEngine floats(model::WeightType::kF32, 4, 1);
  test::TinyEngine ints(model::WeightType::kQ4_1, 4, 1);
  for (Engine* engine : {&floats.engine, &ints.engine}) {
    const bool same = engine->numerics_name() == tiny_.engine.numerics_name();
    pass_.rows = {{1, 0, Row::kCommitted, true}};
    if (same) {
      EXPECT_NO_THROW(engine->forward(pass_));
    } else {
      EXPECT_THROW(engine->forward(pass_), std::logic_error);
      EXPECT_THROW(engine->make_cache(10)->copy_prefix(*cache_, 3), std::logic_error);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, GrowingTrees,
                         testing::Values(model::WeightType::kF32, model::WeightType::kQ4_1));

}  // namespace
}  // namespace outrider::engine
