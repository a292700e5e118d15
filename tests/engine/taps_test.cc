#include "runtime/engine/taps.h"

#include <gtest/gtest.h>

#include "tests/support/tiny_engine.h"

namespace outrider::engine {
namespace {

/// A chain of five rows, of which the first three are kept.
class KeptRows : public testing::Test {
 protected:
  KeptRows() {
    taps_.heads = {{1, 0}, {2, 3}};
    pass_.sequences = {&cache_};
    pass_.taps = &taps_;
    pass_.add_chain(0, std::vector<Token>{5, 6, 7, 8, 9}, false);
  }

  void forward_and_keep() {
    tiny_.engine.forward(pass_);
    cache_.commit_first(3);
  }
  std::vector<float> attention(int row, const std::vector<int>& positions) const {
    std::vector<float> found;
    taps_.attention(row, positions, found);
    return found;
  }

  test::TinyEngine tiny_{model::WeightType::kF32, 1, 1};
  KvCache cache_ = tiny_.engine.make_cache(8);
  Taps taps_;
  Pass pass_;
};

TEST_F(KeptRows, GiveTheirAttentionAtAscendingPositions) {
  forward_and_keep();
  EXPECT_EQ(attention(2, {0, 2}).size(), 4u);
  EXPECT_EQ(attention(2, {}).size(), 0u);
  EXPECT_THROW(attention(2, {2, 0}), std::logic_error);
  EXPECT_THROW(attention(2, {-1, 0}), std::logic_error);
  EXPECT_THROW(attention(1, {0, 2}), std::logic_error);  // behind the row's own
}

TEST_F(KeptRows, GiveAttentionAndDroppedOnesDoNot) {
  forward_and_keep();
  EXPECT_NO_THROW(attention(2, {0}));
  EXPECT_THROW(attention(3, {0}), std::logic_error);
}

TEST_F(KeptRows, AreAskedForHeadsOfTheModelOnly) {
  for (const Taps::Head none : {Taps::Head{0, 0}, {3, 0}, {1, -1}, {1, 4}}) {
    taps_.heads = {none};
    EXPECT_THROW(tiny_.engine.forward(pass_), std::logic_error) << none.layer << ":" << none.head;
  }
}

}  // namespace
}  // namespace outrider::engine
