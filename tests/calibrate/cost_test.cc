#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>
#include <utility>

#include "calibrate/commands/commands.h"
#include "calibrate/cost/measure_cost.h"
#include "calibrate/cost/measure_drafters.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/commands/commands.h"
#include "runtime/cost/cost_model.h"
#include "runtime/engine/machine.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

using cost::CostModel;
using cost::parents_of;
using cost::PassPoint;
using cost::Shape;
using cost::TimedPass;

/// A machine without noise: a pass of M rows costs so much, and attention by rows and context.
double made_up(const PassPoint& point) {
  const double per_row = point.shape == Shape::kTree ? 1.5e-4 : 1e-4;
  return 2e-3 + per_row * point.rows + 2e-8 * point.rows * point.context;
}

std::vector<TimedPass> timed(const std::vector<int>& rows, const std::vector<int>& contexts) {
  std::vector<TimedPass> passes;
  for (const Shape shape : {Shape::kChain, Shape::kTree})
    for (const int count : rows)
      for (const int context : contexts) {
        const PassPoint point = {shape, count, context};
        passes.push_back({point, made_up(point)});
      }
  return passes;
}

TEST(CostModel, PredictsWhatItWasNotFittedTo) {
  const CostModel model(timed({1, 4, 16, 64}, {25, 500, 2000}));
  for (const TimedPass& pass : timed({1, 2, 10, 40, 64, 200}, {60, 1500, 4000}))
    EXPECT_NEAR(model.seconds(pass.point), pass.seconds, 1e-6 * pass.seconds) << pass.point.rows;
  for (const double error : relative_errors(model, timed({5, 50}, {300}))) EXPECT_LT(error, 1e-6);
}

TEST(CostModel, FollowsStepsBetweenItsPoints) {
  std::vector<TimedPass> passes = timed({1, 2, 3, 4}, {100, 1000});
  for (TimedPass& pass : passes)
    if (pass.point.rows >= 3) pass.seconds *= 2;
  const CostModel model(passes);
  for (const TimedPass& pass : passes)
    EXPECT_NEAR(model.seconds(pass.point), pass.seconds, 1e-6 * pass.seconds);
}

TEST(PassShape, AreAChainOrChainsBelowARoot) {
  EXPECT_EQ(parents_of(Shape::kChain, 4), (std::vector<int>{-1, 0, 1, 2}));
  EXPECT_EQ(parents_of(Shape::kTree, 7), (std::vector<int>{-1, 0, 1, 0, 3, 0, 5}));
  EXPECT_EQ(parents_of(Shape::kTree, 1), (std::vector<int>{-1}));
  EXPECT_EQ(parents_of(Shape::kTree, 2), (std::vector<int>{-1, 0}));
}

TEST(CostGrid, HoldsOutWhatLiesBetweenItsPoints) {
  EXPECT_EQ(halfway({8, 1, 2, 4}), (std::vector<int>{3, 6}));
  EXPECT_EQ(halfway({100}), std::vector<int>{});
  EXPECT_EQ(held_out_rows(CostGrid{}), (std::vector<int>{5, 10, 20, 40}));
}

/// Waits in the calls that `slow_in` names.
class SlowDrafter : public draft::Drafter {
 public:
  explicit SlowDrafter(std::set<std::string> slow_in) : slow_in_(std::move(slow_in)) {}

  draft::DrafterTraits traits() const override { return {.wants = {.layers = {0}}}; }
  int begin(const draft::TextStart& text) override {
    sleep_in("start");
    return text.kept;
  }
  std::string name() const override { return "slow"; }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    sleep_in("draft");
    tree.add(0, context.committed.back());
  }
  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override {
    EXPECT_TRUE(pass.observed.has_states(0));
    if (rows.kept.size() == 1) sleep_in("observe");
  }
  void verified(std::span<const int>, Token) override { sleep_in("verified"); }

 private:
  void sleep_in(const std::string& place) const {
    if (slow_in_.count(place) > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::set<std::string> slow_in_;
};

TEST(MeasureDrafters, CountWhatTheyDoInAStepAndNotThePass) {
  test::TinyEngine target(model::WeightType::kQ8_0, 1, 1);
  const auto costs_of = [&](const std::set<std::string>& slow_in) {
    std::vector<NamedDrafter> drafters;
    drafters.push_back({"slow", std::make_unique<SlowDrafter>(slow_in)});
    drafters.push_back({"fast", std::make_unique<SlowDrafter>(std::set<std::string>{})});
    const auto costs = measure_drafters(
        target.engine, std::move(drafters), {30, 10}, 1, [](int) { return true; },
        [](int) { return true; });
    EXPECT_EQ(costs.contexts, (std::vector<std::int32_t>{10, 30}));
    EXPECT_EQ(costs.drafters.front().name, "slow");
    for (std::size_t i = 0; i < costs.contexts.size(); ++i) {
      EXPECT_LT(costs.drafters.back().seconds.at(i), 4e-3);
      EXPECT_LE(costs.drafters.front().low.at(i), costs.drafters.front().seconds.at(i));
      EXPECT_LE(costs.drafters.front().seconds.at(i), costs.drafters.front().high.at(i));
    }
    return costs.drafters.front().seconds.front();
  };
  EXPECT_GE(costs_of({"draft"}), 5e-3);
  EXPECT_GE(costs_of({"observe", "verified"}), 10e-3);
  EXPECT_LT(costs_of({"start"}), 4e-3);
}

TEST(CostCommand, LeavesTimesTheModelAndAPicture) {
  const test::TemporaryFolder folder;
  const auto model = test::write_tiny_llama(
      folder.path(), "tiny.gguf", {.head_width = 32, .context = 4096}, 1, model::WeightType::kQ8_0);
  const std::string made = (folder.path() / "made.h5").string();
  const std::string plot = (folder.path() / "cost.svg").string();
  const test::Outcome outcome = test::run_command(
      add_cost, {"cost", "-m", model.string(), "--artifacts", made, "--plot", plot, "--rounds", "1",
                 "--threads", "1", "--rows", "1", "8", "64", "--contexts", "25", "500"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("median error"), std::string::npos) << outcome.out;
  const artifacts::ArtifactFile file(made);
  ASSERT_EQ(file.groups().size(), 1U);
  const std::string group = file.groups().front();
  EXPECT_TRUE(group.starts_with("/cost/")) << group;
  const auto any = hdf5::Reader::kAny;
  const auto seconds = file.reader().read<double>(group + "/passes/seconds", {any});
  EXPECT_EQ(seconds.size(), 2U * 3 * 2 + 2U * 1 * 1);
  const auto drafters = artifacts::read_cost(file.reader(), group).drafters;
  EXPECT_EQ(drafters.contexts, (std::vector<std::int32_t>{25, 500}));
  std::set<std::string> timed;
  for (const auto& drafter : drafters.drafters) timed.insert(drafter.name);
  EXPECT_EQ(timed.count("context-ngram") + timed.count("pld"), 2U);
  EXPECT_EQ(timed.count("bigram"), 0U) << "which needs artifacts";
  EXPECT_NE(outcome.out.find("so not timed: pld-plus-h, pld-plus-a, unigram, bigram, ngrammys"),
            std::string::npos)
      << outcome.out;
  const test::Outcome inspected = test::run_command(add_inspect, {"inspect", made});
  EXPECT_NE(inspected.out.find("microseconds of a step"), std::string::npos) << inspected.out;
  for (const double one : seconds) EXPECT_GT(one, 0);
  EXPECT_EQ(file.reader().read<std::int32_t>(group + "/model/rows", {any}),
            (std::vector<std::int32_t>{1, 8, 64, 1, 8, 64}));
  std::ifstream picture(plot);
  EXPECT_NE(std::string(std::istreambuf_iterator<char>(picture), {}).find("context 500"),
            std::string::npos);
  const test::Outcome wrong =
      test::run_command(add_cost, {"cost", "-m", model.string(), "--rows", "0"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("--rows: expected a whole number from 1 to 512"), std::string::npos);
}

TEST(MeasureDrafters, EndWithTheContextsThatThereIsTimeFor) {
  test::TinyEngine target(model::WeightType::kQ8_0, 1, 1);
  const auto contexts_of = [&](const std::vector<bool>& has_time) {
    std::vector<NamedDrafter> drafters;
    drafters.push_back({"one", std::make_unique<SlowDrafter>(std::set<std::string>{})});
    std::size_t asked = 0;
    std::vector<int> unread;
    const auto costs = measure_drafters(
        target.engine, std::move(drafters), {10, 30}, 2, [](int) { return true; },
        [&](int tokens) {
          unread.push_back(tokens);
          return has_time.at(asked++);
        });
    if (asked == 3) {
      EXPECT_EQ(unread, (std::vector<int>{0, 20, 0}));
    }
    for (const auto& one : costs.drafters) EXPECT_EQ(one.seconds.size(), costs.contexts.size());
    return costs.contexts;
  };
  EXPECT_EQ(contexts_of({true, true, true}), (std::vector<std::int32_t>{10, 30}));
  EXPECT_EQ(contexts_of({false, true, false}), (std::vector<std::int32_t>{10, 30}));
  EXPECT_EQ(contexts_of({true, false}), (std::vector<std::int32_t>{10}));
}

TEST(CostCommand, SaysWhatItWillDoAndTimesSeveralSequences) {
  const test::TemporaryFolder folder;
  const auto model = test::write_tiny_llama(
      folder.path(), "tiny.gguf", {.head_width = 32, .context = 4096}, 1, model::WeightType::kQ8_0);
  const std::string made = (folder.path() / "made.h5").string();
  const auto run = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> words = {"cost",      "-m", model.string(), "--artifacts", made,
                                      "--threads", "2"};
    words.insert(words.end(), flags.begin(), flags.end());
    return test::run_command(add_cost, words);
  };
  const test::Outcome outcome = run({"--sequences", "1", "2", "16", "--rounds", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("calibrate cost: about ")) << outcome.err;
  EXPECT_NE(outcome.err.find(" passes, of 1 to 48 rows, after 100 and 1000 tokens, with 2 threads"),
            std::string::npos)
      << outcome.err;
  {
    const artifacts::ArtifactFile file(made);
    const cost::MachineCost measured = artifacts::read_cost(file.reader(), file.groups().front());
    std::set<int> rows_of_16;
    for (const cost::PassTime& pass : measured.passes.front().passes)
      if (pass.point.sequences == 16) rows_of_16.insert(pass.point.rows);
    EXPECT_EQ(rows_of_16, (std::set<int>{16, 32, 64, 128}));
    EXPECT_GT(measured.model(2)->seconds({Shape::kChain, 16, 500, 16}), 0);
    EXPECT_EQ(measured.drafters.contexts.front(), 100);
  }
  // Where there is no time for more, there is one round, and a result.
  const test::Outcome hasty = run({"--minutes", "0.00001"});
  ASSERT_EQ(hasty.code, 0) << hasty.err;
  EXPECT_NE(hasty.err.find(" passes, of 1 to 48 rows, after 100 tokens, with 2 threads, 1 rounds"),
            std::string::npos)
      << hasty.err;
  const artifacts::ArtifactFile file(made);
  EXPECT_TRUE(artifacts::read_cost(file.reader(), file.groups().front()).model(2).has_value());
}

TEST(CostCommand, KeepsThePricesOfEveryDevice) {
  const test::TemporaryFolder folder;
  const auto model = test::write_tiny_llama(
      folder.path(), "tiny.gguf", {.head_width = 32, .context = 1024}, 1, model::WeightType::kQ8_0);
  const std::string made = (folder.path() / "made.h5").string();
  const auto run = [&](const std::string& device, const std::vector<std::string>& flags) {
    std::vector<std::string> words = {
        "cost", "-m",         model.string(), "--artifacts", made, "--rows",   "1",
        "3",    "--contexts", "20",           "--rounds",    "1",  "--device", device};
    words.insert(words.end(), flags.begin(), flags.end());
    return test::run_command(add_cost, words);
  };
  const std::string of_cpu = artifacts::cost_group(engine::machine_name());
  const std::string of_gpu = artifacts::cost_group("emulated GPU");
  const auto stored = [&](const std::string& group) {
    return artifacts::read_cost(artifacts::ArtifactFile(made).reader(), group);
  };
  ASSERT_EQ(run("cpu", {"--threads", "1"}).code, 0);
  const double on_cpu = stored(of_cpu).passes[0].passes[0].seconds.median;
  const test::Outcome outcome = run("cuda-emulated", {});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.find(": " + of_gpu) != std::string::npos) << outcome.out;
  EXPECT_EQ(artifacts::ArtifactFile(made).groups(), (std::vector<std::string>{of_cpu, of_gpu}));
  EXPECT_EQ(stored(of_cpu).passes[0].passes[0].seconds.median, on_cpu);
  const cost::MachineCost on_gpu = stored(of_gpu);
  EXPECT_EQ(on_gpu.machine, "emulated GPU");
  EXPECT_EQ(on_gpu.isa, "emulated");
  ASSERT_EQ(on_gpu.passes.size(), 1U) << "with all multiprocessors only";
  // An emulated thread is far slower than what it is emulated on.
  EXPECT_GT(on_gpu.passes[0].passes[0].seconds.median, 2 * on_cpu);
  EXPECT_FALSE(on_gpu.drafters.drafters.empty());
  // What decodes there takes these.
  const model::Model read = model::load_model(model);
  const engine::EngineOptions there = {.device = engine::device_named("cuda-emulated").value()};
  const auto costs =
      artifacts::measured_cost(artifacts::ArtifactSet(artifacts::identity_of(read), made, {}),
                               *engine::make_engine(read, there));
  ASSERT_TRUE(costs.has_value());
  const cost::PassPoint one_row{Shape::kChain, 1, 20};
  EXPECT_EQ(costs->seconds(one_row), on_gpu.model(on_gpu.passes[0].threads)->seconds(one_row));
  EXPECT_EQ(run("cuda-emulated", {"--add"}).code, 0);
  const test::Outcome threads = run("cuda-emulated", {"--threads", "2"});
  EXPECT_EQ(threads.code, 2);
  EXPECT_NE(threads.err.find("--threads: expected none for emulated GPU"), std::string::npos)
      << threads.err;
}

TEST(CostCommand, AddsRunsOfTheSamePassesOnly) {
  const test::TemporaryFolder folder;
  const auto model = test::write_tiny_llama(
      folder.path(), "tiny.gguf", {.head_width = 32, .context = 4096}, 1, model::WeightType::kQ8_0);
  const std::string made = (folder.path() / "costs.h5").string();
  const auto run = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> words = {
        "cost",      "-m", model.string(), "--artifacts", made,   "--rounds", "1",
        "--threads", "1",  "--contexts",   "25",          "--add"};
    words.insert(words.end(), flags.begin(), flags.end());
    return test::run_command(add_cost, words);
  };
  const auto stored = [&] {
    const artifacts::ArtifactFile file(made);
    return artifacts::read_cost(file.reader(), file.groups().front());
  };
  ASSERT_EQ(run({"--rows", "1", "8"}).code, 0);
  EXPECT_EQ(stored().runs, 1);
  const double first = stored().passes[0].passes[0].seconds.median;
  const test::Outcome second = run({});  // the rows of the run before
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_NE(second.out.find("means of 2 runs"), std::string::npos) << second.out;
  EXPECT_EQ(stored().runs, 2);
  EXPECT_GT(stored().passes[0].passes[0].seconds.median, first / 2);
  const test::Outcome other = run({"--rows", "1", "16"});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("--add: expected the threads, rows, contexts"), std::string::npos)
      << other.err;
  EXPECT_EQ(stored().runs, 2);
}

}  // namespace
}  // namespace outrider::calibrate
