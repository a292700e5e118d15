#include "runtime/cost/pass_timer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "runtime/cost/bandwidth.h"
#include "runtime/cost/engine_report.h"
#include "runtime/cost/product_rate.h"
#include "runtime/cost/weights_of_row.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::cost {
namespace {

class Timing : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  model::Model model_ = model::load_model(test::write_tiny_llama(
      folder_.path(), "tiny.gguf", {.layers = 4, .head_width = 32}, 5, model::WeightType::kQ4_1));
  std::unique_ptr<engine::Engine> engine_ = engine::make_engine(model_, {.threads = 2});
};

TEST_F(Timing, SplitsAPassIntoStepsThatAddUpToIt) {
  PassTimer timer(*engine_);
  engine::StepTimes times;
  double whole = 0;
  for (int i = 0; i < 20; ++i) whole += timer.seconds(20, 64, &times);
  const double parts = std::accumulate(times.seconds.begin(), times.seconds.end(), 0.0);
  EXPECT_LE(parts, whole);
  EXPECT_GT(parts, 0);
  EXPECT_GT(times.seconds[static_cast<std::size_t>(engine::Step::kFeedForward)], 0);
}

TEST_F(Timing, LeavesTheContextAsItWas) {
  PassTimer timer(*engine_);
  for (const int rows : {1, 2, 11, 12, 31}) EXPECT_GT(timer.seconds(33, rows), 0);
  EXPECT_GT(timer.prefill_seconds(33, 70, 64), 0);
}

TEST_F(Timing, TakesRowsOfSeveralSequences) {
  PassTimer timer(*engine_);
  const std::vector<float> alone = [&] {
    timer.seconds(33, 4);
    const std::span<const float> logits = timer.logits().numbers();
    return std::vector<float>(logits.begin(), logits.end());
  }();
  EXPECT_GT(timer.seconds({Shape::kChain, 11, 33, 3}), 0);
  EXPECT_GT(timer.seconds({Shape::kTree, 12, 33, 3}), 0);
  EXPECT_GT(timer.seconds({Shape::kChain, 4, 33}), 0);
  EXPECT_TRUE(std::ranges::equal(timer.logits().numbers(), alone))
      << "the contexts are as they were";
  EXPECT_THROW(timer.seconds({Shape::kChain, 2, 33, 3}), std::logic_error);
}

TEST_F(Timing, CopiesTheContextsOfAnotherEngine) {
  const auto logits_of = [](PassTimer& timer) {
    timer.seconds(40, 3);
    const std::span<const float> logits = timer.logits().numbers();
    return std::vector<float>(logits.begin(), logits.end());
  };
  PassTimer filled(*engine_);
  filled.seconds(70, 1);
  filled.seconds(30, 1);
  const auto single = engine_->with_workers(1);
  PassTimer copying(*single, filled), own(*single);
  EXPECT_EQ(logits_of(copying), logits_of(own));
  EXPECT_EQ(logits_of(filled), logits_of(own)) << "a longer context begins with a shorter one's";
}

TEST_F(Timing, ReportsEveryPointOnceForEachNumberOfThreads) {
  EngineReportOptions options;
  options.threads = {1, 2};
  options.rows = {1, 3};
  options.contexts = {5, 40};
  options.prefill_depths = {0, 16};
  options.prefill_tokens = 64;
  options.rounds = 3;
  int rounds = 0;
  const EngineReport report = report_engine(*engine_, options, [&](int done, int) {
    rounds = done;
    return done < 2;  // ends early
  });
  EXPECT_EQ(rounds, 2);
  ASSERT_EQ(report.passes.size(), 8u);
  EXPECT_EQ(report.prefills.size(), 4u);
  EXPECT_EQ(report.splits.size(), 8u);
  for (const PassCost& pass : report.passes) {
    EXPECT_GE(pass.bytes, engine_->weight_bytes());
    EXPECT_LE(pass.seconds.low, pass.seconds.median);
    EXPECT_LE(pass.seconds.median, pass.seconds.high);
    if (pass.rows == 1) {
      EXPECT_DOUBLE_EQ(pass.ratio_to_one_row, 1);
    }
  }
}

TEST_F(Timing, LimitsAreTheLongerOfReadingAndMultiplying) {
  EngineReportOptions options;
  options.threads = {1};
  options.rows = {1, 64};
  options.contexts = {5};
  options.prefill_depths = {0};
  options.prefill_tokens = 64;
  const EngineReport report = report_engine(*engine_, options, [](int, int) { return false; });
  ASSERT_EQ(report.bandwidths.size(), 1U);
  const bool multiplies = !report.product_rates.empty();
  for (const PassCost& pass : report.passes) {
    EXPECT_EQ(pass.products, pass.rows * report.passes.front().products);
    const double reading = static_cast<double>(pass.bytes) / report.bandwidths[0].per_second;
    const double multiplying =
        multiplies ? static_cast<double>(pass.products) / report.product_rates[0].per_second : 0;
    EXPECT_EQ(pass.limit_seconds, std::max(reading, multiplying));
  }
  EXPECT_EQ(report.prefills.at(0).share_of_products.has_value(), multiplies);
}

TEST_F(Timing, CountsTheWeightsThatMultiplyARow) {
  const model::ModelConfig& config = model_.config;
  std::int64_t weights = 0;
  for (const model::LayerWeights& layer : model_.layers)
    for (const model::Weight* weight :
         {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
      weights += std::int64_t{weight->rows} * weight->columns;
  EXPECT_EQ(weights_of_row(config), weights);
}

TEST_F(Timing, MultipliesAsFastAsARealProcessor) {
  EXPECT_EQ(product_rate("scalar", 1, 1), 0);
  for (const engine::Variant& variant : engine_->variants()) {
    const auto engine = variant.make(1);
    const double rate = product_rate(engine->place().unit, 1, 1);
    if (rate == 0) continue;
    EXPECT_GT(rate, 1e8) << variant.name;
    EXPECT_LT(rate, 1e13) << variant.name;
  }
}

TEST(Bandwidth, IsThatOfARealMemory) {
  const double rate = read_bandwidth(std::int64_t{8} << 20, 2);
  EXPECT_GT(rate, 1e8);
  EXPECT_LT(rate, 1e13);
}

}  // namespace
}  // namespace outrider::cost
