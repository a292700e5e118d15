#include "runtime/cost/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

namespace outrider::cost {
namespace {

TEST(CostModel, MoreRowsAreNeverCheaperWhateverWasMeasured) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<TimedPass> passes = {{{Shape::kTree, 1, 0}, 1}};
    for (int rows = 1; rows <= 8; ++rows)
      for (const int context : {10, 500, 2000}) {
        const double noise = 0.7 + 0.6 * static_cast<double>(random() % 1000) / 1000;
        passes.push_back(
            {{Shape::kChain, rows, context}, noise * (1 + 0.05 * rows + 1e-3 * context)});
      }
    const CostModel model(passes);
    for (int rows = 1; rows < 8; ++rows)
      for (const int context : {0, 100, 2000}) {
        const double fewer = model.seconds({Shape::kChain, rows, context});
        EXPECT_GT(fewer, 0);
        EXPECT_GE(model.seconds({Shape::kChain, rows + 1, context}), fewer * (1 - 1e-12));
      }
  }
}

TEST(CostModel, ShortTextsTakeTimeWhateverWasMeasured) {
  std::vector<TimedPass> passes = {{{Shape::kTree, 1, 0}, 1}};
  passes.push_back({{Shape::kChain, 1, 100}, 1});
  passes.push_back(
      {{Shape::kChain, 1, 1000}, 20});  // the first at a lucky moment: -1.1 without a context
  const CostModel model(passes);
  for (const int context : {0, 25, 100})
    EXPECT_GT(model.seconds({Shape::kChain, 1, context}), 0) << context;
  EXPECT_GT(model.seconds({Shape::kChain, 1, 1000}), model.seconds({Shape::kChain, 1, 100}));
}

TEST(CostModel, RowsOutOfOrderShareTheLineOfAllTheirPasses) {
  std::vector<TimedPass> passes = {{{Shape::kTree, 1, 0}, 1}};
  const double seconds[] = {1, 2, 1.6, 3};
  for (int rows = 1; rows <= 4; ++rows)
    passes.push_back({{Shape::kChain, rows, 0}, seconds[rows - 1]});
  const CostModel model(passes);
  const auto of = [&](int rows) { return model.seconds({Shape::kChain, rows, 0}); };
  EXPECT_DOUBLE_EQ(of(1), 1);
  EXPECT_DOUBLE_EQ(of(2), of(3));
  // The least squares of relative errors.
  EXPECT_DOUBLE_EQ(of(2), (1 / 2.0 + 1 / 1.6) / (1 / 4.0 + 1 / 2.56));
  EXPECT_DOUBLE_EQ(of(4), 3);
}

/// A pass of one sequence takes 1 + rows / 100, and each further one adds 1 / 1000 a token of context.
std::vector<TimedPass> passes_of(const std::vector<int>& sequences) {
  std::vector<TimedPass> passes = {{{Shape::kTree, 1, 0}, 1}};
  for (const int several : sequences)
    for (const int each : {1, 4})
      for (const int context : {100, 1000}) {
        const int rows = several * each;
        passes.push_back({{Shape::kChain, rows, context, several},
                          1 + rows / 100.0 + (several - 1) * context / 1000.0});
      }
  return passes;
}

TEST(CostModel, AddsWhatSeveralSequencesRead) {
  const CostModel model(passes_of({1, 4, 8}));
  const auto of = [&](int rows, int context, int sequences) {
    return model.seconds({Shape::kChain, rows, context, sequences});
  };
  EXPECT_NEAR(of(8, 500, 1), 1.08, 1e-9);
  EXPECT_NEAR(of(4, 500, 4), 1.04 + 3 * 0.5, 1e-9) << "as it was timed";
  EXPECT_NEAR(of(32, 500, 8), 1.32 + 7 * 0.5, 1e-9);
  EXPECT_NEAR(of(8, 200, 2), 1.08 + 0.2, 1e-9) << "between the numbers that were timed";
  EXPECT_NEAR(of(12, 200, 6), 1.12 + 5 * 0.2, 1e-9);
  EXPECT_NEAR(of(16, 200, 16), 1.16 + 15 * 0.2, 1e-9) << "beyond them";
  EXPECT_NEAR(model.seconds({Shape::kTree, 1, 200, 4}), 1 + 3 * 0.2, 1e-9) << "trees as chains";
  EXPECT_NEAR(model.next_row_seconds({Shape::kChain, 9, 200, 8}), 0.01, 1e-9);
}

TEST(CostModel, OfOneSequenceLeavesOutWhatOthersRead) {
  const CostModel model(passes_of({1}));
  EXPECT_NEAR(model.seconds({Shape::kChain, 8, 500, 8}), 1.08, 1e-9);
}

TEST(CostModel, SharesAPassAmongSequencesOfAsManyRows) {
  const CostModel model(passes_of({1, 8}));
  const CostModel each = model.of_each(8);
  for (const int rows : {1, 3, 4})
    EXPECT_NEAR(each.seconds({Shape::kChain, rows, 500}), (1 + rows * 0.08 + 7 * 0.5) / 8, 1e-9);
  EXPECT_NEAR(each.seconds({Shape::kTree, 1, 200}), (1 + 7 * 0.2) / 8, 1e-9);
  EXPECT_NEAR(model.of_each(1).seconds({Shape::kChain, 4, 500}), 1.04, 1e-9);
}

TEST(CostModel, NeedsPassesOfOneSequence) {
  EXPECT_THROW(CostModel(passes_of({4})), std::logic_error);
}

}  // namespace
}  // namespace outrider::cost
