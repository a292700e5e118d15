#include "runtime/cost/time_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/draft/counting_engine.h"
#include "tests/support/tiny_engine.h"

namespace outrider::cost {
namespace {

/// An engine that leaves rows where they lie, and may draft chains at once.
class OnGpu : public test::CountingEngine {
 public:
  OnGpu(engine::Engine& engine, bool drafts_ahead)
      : CountingEngine(engine), drafts_ahead_(drafts_ahead) {}
  std::unique_ptr<engine::RowReader> make_row_reader(
      const engine::RowReaderOptions& options) override {
    return counted().make_row_reader(options);
  }
  std::unique_ptr<engine::AheadReader> make_ahead_reader(
      const engine::RowReaderOptions& options) override {
    return drafts_ahead_ ? counted().make_ahead_reader(options) : nullptr;
  }

 private:
  bool drafts_ahead_;
};

TEST(TimeSteps, AreOfChainsWhereTheyAreDraftedAtOnce) {
  const test::TinyEngine tiny(model::WeightType::kQ4_1, 1, 2);
  const std::unique_ptr<engine::Engine> target =
      engine::make_engine(tiny.model, {.device = {engine::DeviceChoice::Kind::kCudaEmulated}});
  const auto of_drafts = target->beside(tiny.model, {.for_drafts = true});
  constexpr int kRounds = 3;
  const auto passes_of = [&](bool drafts_ahead, int passes, int rows) {
    const auto draft = std::make_shared<OnGpu>(*of_drafts, drafts_ahead);
    const StepTimes times = time_steps(
        *target, {.engine = draft, .head_tokens = {}, .passes = passes}, 10, kRounds, rows);
    EXPECT_GT(times.draft.median, 0);
    return std::count(draft->rows.begin(), draft->rows.end(), rows);
  };
  EXPECT_EQ(passes_of(false, 2, 1), 1 + 2 * kRounds);
  EXPECT_EQ(passes_of(true, 2, 1), 1 + kRounds) << "the chain's other passes are its own";
  EXPECT_EQ(passes_of(true, 1, 1), 1 + kRounds) << "one pass drafts all";
  EXPECT_EQ(passes_of(true, 2, 3), 1 + 2 * kRounds);
}

}  // namespace
}  // namespace outrider::cost
