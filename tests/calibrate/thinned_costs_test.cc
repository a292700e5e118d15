// What `calibrate cost` times without flags suffices: the shipped times of 17 numbers of rows after five contexts,
// thinned to it, price all that was tried as the whole table does. Beyond 48 rows times are extended.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "calibrate/cost/measure_cost.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/trials_group.h"
#include "tests/support/source_path.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kModel = "SmolLM2-135M-Instruct.Q4_1.";
constexpr const char* kMachine = "AMD-EPYC-family-26-model-2-2-cores";

bool is_in(const std::vector<int>& numbers, int number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

class ThinnedCosts : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& entry : std::filesystem::directory_iterator(test::source_path("checkpoints")))
      if (entry.path().extension() == ".h5" && entry.path().filename().string().starts_with(kModel))
        files_.emplace_back(entry.path());
    for_each(artifacts::kCost, [&](const auto& file, const std::string& group) {
      if (!artifacts::is_cost_group(group)) return;
      // Of those of the machine the mean of several runs.
      cost::MachineCost read = artifacts::read_cost(file, group);
      if (read.runs > measured_.runs) measured_ = std::move(read);
    });
    ASSERT_FALSE(measured_.passes.empty());
  }

  template <typename Use>
  void for_each(const std::string& kind, const Use& use) const {
    for (const artifacts::ArtifactFile& file : files_)
      for (const std::string& group : file.groups())
        if (group.starts_with(kind + "/") && group.ends_with(kMachine)) use(file.reader(), group);
  }

  cost::CostModel model(int threads) const { return measured_.model(threads).value(); }
  cost::CostModel thinned(int threads) const {
    const CostGrid grid;
    cost::MachineCost few = measured_;
    for (cost::ThreadsCost& cost : few.passes)
      std::erase_if(cost.passes, [&](const cost::PassTime& pass) {
        return !is_in(grid.rows, pass.point.rows) || !is_in(grid.contexts, pass.point.context);
      });
    return few.model(threads).value();
  }

  /// Compares the speeds of all settings, and that of the one chosen by few times with the fastest.
  /// @param rows  [settings] of a pass
  void compare(const std::vector<double>& whole, const std::vector<double>& few,
               const std::vector<double>& rows, const std::string& what) {
    ASSERT_EQ(whole.size(), few.size());
    ASSERT_EQ(whole.size(), rows.size());
    ASSERT_FALSE(whole.empty());
    for (std::size_t i = 0; i < whole.size(); ++i)
      EXPECT_NEAR(few[i] / whole[i], 1, rows[i] <= CostGrid().rows.back() ? 0.05 : 0.12)
          << what << " " << i << ", rows " << rows[i];
    const auto best = std::max_element(few.begin(), few.end()) - few.begin();
    EXPECT_GT(whole[static_cast<std::size_t>(best)],
              0.985 * *std::max_element(whole.begin(), whole.end()))
        << what;
    ++compared_;
  }

  static std::vector<double> speeds_of(const std::vector<cost::Trial>& trials) {
    std::vector<double> speeds;
    for (const cost::Trial& trial : trials) speeds.push_back(trial.tokens_per_second);
    return speeds;
  }

  static std::vector<double> rows_of(const std::vector<cost::Trial>& trials) {
    std::vector<double> rows;
    for (const cost::Trial& trial : trials) rows.push_back(trial.verified_per_round());
    return rows;
  }

  /// The trials of a method, at every temperature.
  void compare_trials(const std::string& method) {
    cost::Trials trials;
    cost::DraftingCost drafting;
    const std::string of_costs =
        std::string(artifacts::kCost) + "/" + kMachine + "/drafting/" + method;
    for (const artifacts::ArtifactFile& file : files_) {
      if (file.has(artifacts::trials_group(method)))
        trials = artifacts::read_trials(file.reader(), artifacts::trials_group(method));
      if (file.has(of_costs)) drafting = artifacts::read_drafting_cost(file.reader(), of_costs);
    }
    ASSERT_EQ(trials.drafter, drafting.drafter);
    for (cost::TemperatureTrials one : trials.by_temperature) {
      cost::TemperatureTrials other = one;
      one.price(cost::TrialPrices::at(one.temperature, model(drafting.threads), trials.context,
                                      drafting));
      other.price(cost::TrialPrices::at(one.temperature, thinned(drafting.threads), trials.context,
                                        drafting));
      compare(speeds_of(one.trials), speeds_of(other.trials), rows_of(one.trials), method);
    }
  }

  std::vector<artifacts::ArtifactFile> files_;
  cost::MachineCost measured_;
  int compared_ = 0;
};

TEST_F(ThinnedCosts, PriceTrees) {
  for (const char* method : {"parallelspec-eagle", "parallelspec-medusa", "eagle-ar"})
    compare_trials(method);
  EXPECT_EQ(compared_, 6);
}

TEST_F(ThinnedCosts, PriceTreesAndGraphsOfADraftModel) {
  for (const char* method : {"tsd", "gsd"}) compare_trials(method);
  EXPECT_EQ(compared_, 4);
}

TEST_F(ThinnedCosts, PriceRoundsOfADraftModel) {
  compare_trials("ssd");
  EXPECT_EQ(compared_, 2);
}

TEST_F(ThinnedCosts, PriceGridsOfNgrams) {
  compare_trials("ngrammys");
  EXPECT_EQ(compared_, 2);
}

TEST_F(ThinnedCosts, PredictThePassesThatTheyLack) {
  for (const cost::ThreadsCost& cost : measured_.passes) {
    std::vector<cost::TimedPass> timed = cost.medians(false);
    std::erase_if(timed, [](const cost::TimedPass& pass) { return pass.point.rows > 48; });
    const std::vector<double> errors = cost::relative_errors(thinned(cost.threads), timed);
    EXPECT_LT(errors[errors.size() / 2], 0.01) << cost.threads << " threads";
    EXPECT_LT(errors[errors.size() * 9 / 10], 0.03) << cost.threads << " threads";
  }
}

}  // namespace
}  // namespace outrider::calibrate
