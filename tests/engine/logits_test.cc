#include "runtime/engine/logits.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "runtime/engine/engine.h"
#include "tests/support/tiny_engine.h"

namespace outrider::engine {
namespace {

/// Rows whose numbers tell the row and the pass, and how often each was fetched.
class CountedRows : public Logits::Elsewhere {
 public:
  CountedRows(int rows, float pass) : fetches(static_cast<std::size_t>(rows)), pass_(pass) {}

  void fetch(int row, std::span<float> to) const override {
    ++fetches[static_cast<std::size_t>(row)];
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = pass_ + static_cast<float>(100 * row) + static_cast<float>(i);
  }

  float fetch_one(int row, int index) const override {
    ++numbers;
    return pass_ + static_cast<float>(100 * row + index);
  }

  mutable std::vector<int> fetches;
  mutable int numbers = 0;

 private:
  float pass_;
};

std::vector<float> row_of(const Logits& logits, int row) {
  const auto found = logits.row(row);
  return {found.begin(), found.end()};
}

TEST(Logits, OnTheHostAreThoseThatTheEngineWrote) {
  Logits logits;
  EXPECT_THROW((void)logits.row(0), std::logic_error);
  float* const rows = logits.on_host(2, 3, 4);
  for (int i = 0; i < 8; ++i) rows[i] = static_cast<float>(i);
  EXPECT_EQ(logits.rows(), 2);
  EXPECT_EQ(logits.width(), 3);
  EXPECT_EQ(row_of(logits, 1), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(logits.number(1, 2), 6);
  EXPECT_THROW((void)logits.number(2, 0), std::logic_error);
  EXPECT_THROW((void)logits.number(0, 3), std::logic_error);
  EXPECT_THROW((void)logits.row(2), std::logic_error);
  EXPECT_THROW((void)logits.row(-1), std::logic_error);
  EXPECT_EQ(logits.on_host(1, 3, 4), rows) << "a smaller pass uses the memory again";
  EXPECT_THROW((void)logits.row(1), std::logic_error);
}

TEST(Logits, ElsewhereAreFetchedOnceAndOnlyWhereAskedFor) {
  Logits logits;
  const auto first = std::make_shared<CountedRows>(3, 0.0F);
  logits.leave(3, 2, first);
  EXPECT_EQ(row_of(logits, 2), (std::vector<float>{200, 201}));
  const auto again = logits.row(2), other = logits.row(0);
  EXPECT_EQ(again[0], 200);
  EXPECT_EQ(other[1], 1);
  EXPECT_EQ(first->fetches, (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(logits.elsewhere(), first);
  EXPECT_EQ(logits.number(1, 1), 101);
  EXPECT_EQ(logits.number(2, 1), 201);
  EXPECT_EQ(first->numbers, 1) << "of the row that was not fetched";
  EXPECT_EQ(first->fetches, (std::vector<int>{1, 0, 1}));

  const auto second = std::make_shared<CountedRows>(3, 0.5F);
  logits.leave(3, 2, second);
  EXPECT_EQ(row_of(logits, 2), (std::vector<float>{200.5, 201.5})) << "of the pass before";
  EXPECT_EQ(second->fetches, (std::vector<int>{0, 0, 1}));

  logits.on_host(1, 2, 2)[0] = 7;
  EXPECT_EQ(logits.row(0)[0], 7);
  EXPECT_EQ(logits.elsewhere(), nullptr);
}

TEST(Logits, OfAPassAreOfTheRowsThatWantThem) {
  const outrider::test::TinyEngine tiny(model::WeightType::kQ4_1, 1, 1);
  const auto cache = tiny.engine.make_cache(3);
  Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, std::vector<Token>{1, 2, 3}, false);
  pass.rows[0].wants_logits = pass.rows[2].wants_logits = true;
  tiny.engine.forward(pass);
  EXPECT_EQ(pass.logits.rows(), 2);
  EXPECT_EQ(pass.logits.width(), tiny.engine.num_logits());
  EXPECT_EQ(pass.logits_of(2).data(), pass.logits.row(1).data());
  EXPECT_TRUE(pass.logits_of(1).empty());
}

}  // namespace
}  // namespace outrider::engine
