#include "runtime/report/trials_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/report/trials_json.h"
#include "tests/support/some_trials.h"

namespace outrider::report {
namespace {

/// Drafts of 2 or 4 tokens, above 0.5 or always, all of them in both rounds.
cost::Trials lengths_and_thresholds() {
  const auto trial = [](double length, double threshold, std::int64_t tokens) {
    return test::two_rounds({{"draft-length", length}, {"threshold", threshold}},
                            cost::Shape::kChain, tokens, 1 + static_cast<int>(length), {});
  };
  return {"d",
          50,
          {"draft-length", "threshold"},
          {{0, 9, {trial(2, -1, 4), trial(2, 0.5, 3), trial(4, -1, 6), trial(4, 0.5, 5)}}}};
}

PricesOn here(double row) {
  return {"here", cost::CostModel(test::some_passes(row, row)), {.threads = 2}};
}

TEST(TrialsText, ShowsWhatIsChosenAndATableOfTwoNumbers) {
  const std::string text = trials_text(lengths_and_thresholds(), {here(0.5)}, {});
  EXPECT_EQ(text,
            "Temperature 0: 4 settings tried at 9 positions\n"
            "on here, 2 threads\n"
            "            tokens   drafted    passes  verified  tokens/s  speed-up\n"
            "chosen        2.00      2.00      0.00      3.00         1      1.00"
            "  --draft-length 2 --threshold -1\n"
            "chain         2.00      2.00      0.00      3.00         1      1.00"
            "  --draft-length 2 --threshold -1\n"
            "tokens per second (and per pass) by draft-length (down) and threshold\n"
            "          -1            0.5         \n"
            "2         1 (2.00)      1 (1.50)    \n"
            "4         1 (3.00)      1 (2.50)    \n");
  EXPECT_NE(trials_text(lengths_and_thresholds(), {here(2)}, {}).find("plain decoding is faster"),
            std::string::npos);
}

TEST(TrialsText, HasNoTableOfTextsOrOfManySettings) {
  const std::string trees = trials_text(test::some_tree_trials("d"), {here(0.5)}, {});
  EXPECT_EQ(trees.find("(down)"), std::string::npos) << trees;
  cost::Trials one = lengths_and_thresholds();
  auto& trials = one.by_temperature[0].trials;
  trials = {trials[0], trials[2]};
  const std::string text = trials_text(one, {here(0)}, {});
  EXPECT_NE(text.find("by draft-length (down)\n        \n2         2 (2.00)"), std::string::npos)
      << text;
  EXPECT_NE(trials_text(one, {}, {}).find("most"), std::string::npos) << "without costs";
}

TEST(TrialsJson, NamesWhatIsChosenOnEachMachine) {
  PricesOn slow = here(3);
  slow.machine = "slow";
  const auto json = chosen_json(lengths_and_thresholds(), {here(0), slow}, {});
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["machine"], "here");
  EXPECT_EQ(json[0]["settings"]["draft-length"], 4);
  EXPECT_EQ(json[0]["settings"]["threshold"], -1);
  EXPECT_DOUBLE_EQ(json[0]["speed_up"], 3);
  EXPECT_EQ(json[1]["settings"]["draft-length"], 2);
  EXPECT_DOUBLE_EQ(json[1]["tokens_per_second"], 4 / (2 * 7.0));
  const auto trees = chosen_json(test::some_tree_trials("d"), {here(0)}, {});
  EXPECT_EQ(trees[0]["temperature"], 0);
  EXPECT_EQ(trees[0]["settings"]["tree"], "2,1,2");
}

}  // namespace
}  // namespace outrider::report
