// `calibrate heads`, and decoding with what it finds.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>

#include "calibrate/commands/commands.h"
#include "data/commands/commands.h"
#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/commands/commands.h"
#include "runtime/engine/machine.h"
#include "runtime/report/trials_text.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_engine.h"
#include "tests/support/tiny_llama.h"

namespace outrider::calibrate {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class HeadsCommand : public testing::Test {
 protected:
  HeadsCommand() {
    std::ofstream prompts(path("p.jsonl"));
    for (const char* turn : {"abc abd abc", "the cat and the hat", "hello hello", "ring a ring"})
      prompts << "{\"task\": \"" << turn[0] << "\", \"turns\": [\"" << turn << "\"]}\n";
    prompts.close();
    test::write_tiny_llama(folder_.path(), "tiny.gguf", {.head_width = 32}, 1,
                           model::WeightType::kQ8_0);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  test::Outcome calibrate(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {
        "heads", "-m", path("tiny.gguf"), "--prompts",    path("p.jsonl"), "--samples", "3",
        "-n",    "30", "--artifacts",     path("tiny.h5")};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_command(add_heads, words);
  }
  test::Outcome decode(std::vector<std::string> more) const {
    std::vector<std::string> words = {"decode", "-m", path("tiny.gguf"), "-p",        "abc abd abc",
                                      "-n",     "40", "--method",        "pld-plus-a"};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_command(add_decode, words);
  }

  test::TemporaryFolder folder_;
};

void expect_by_temperature(const std::vector<draft::PldPlusTemperature>& found,
                           const std::vector<double>& temperatures) {
  ASSERT_EQ(found.size(), temperatures.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].temperature, temperatures[i]);
}

/// `inspect` shows what lengths for each step gave.
void expect_shown(const draft::PldPlusTemperature& at, const std::string& shown) {
  EXPECT_NE(shown.find(fmt::format("answers at temperature {}\n", at.temperature)),
            std::string::npos)
      << shown;
  ASSERT_TRUE(at.by_step);
  EXPECT_GT(
      std::accumulate(at.by_step->sources.begin(), at.by_step->sources.end(), std::int64_t{0}), 0);
  EXPECT_GE(at.by_step->otherwise, 1);
  EXPECT_GT(at.by_step->tokens_per_second, 0);
  EXPECT_GT(at.by_step->fixed_tokens_per_second, 0);
  EXPECT_NE(
      shown.find(fmt::format("on held-out prompts: {:.1f} tokens per "
                             "second predicted, {:.1f} with the best fixed length",
                             at.by_step->tokens_per_second, at.by_step->fixed_tokens_per_second)),
      std::string::npos)
      << shown;
}

/// What was tried of a method, with the speeds of this machine's passes, which were timed then.
cost::Trials priced_trials(const artifacts::ArtifactFile& file, const std::string& method) {
  cost::Trials trials = artifacts::read_trials(file.reader(), artifacts::trials_group(method));
  const cost::DraftingCost drafting = artifacts::read_drafting_cost(
      file.reader(), artifacts::drafting_cost_group(engine::machine_name(), method));
  EXPECT_TRUE(drafting.rows.empty());
  EXPECT_EQ(drafting.drafter, trials.drafter);
  EXPECT_GT(trials.context, 0);
  for (cost::TemperatureTrials& one : trials.by_temperature)
    one.price(cost::TrialPrices::at(one.temperature, cost::CostModel(drafting.passes),
                                    trials.context, drafting));
  return trials;
}

/// Every length was tried with so many thresholds, and the command told of the best.
void expect_tried(const cost::Trials& trials, std::size_t thresholds, const std::string& told) {
  ASSERT_EQ(trials.by_temperature.size(), 2U);
  for (const cost::TemperatureTrials& one : trials.by_temperature) {
    EXPECT_EQ(one.trials.size(), 15 * thresholds);
    EXPECT_EQ(one.positions, one.trials.front().tokens);
    const std::string best = report::flags_text(trials.names, *one.best(trials.names, {}, {}));
    EXPECT_NE(told.find(best), std::string::npos) << best << "\n" << told;
  }
}

TEST_F(HeadsCommand, LeavesCountsARankingAndTheSweep) {
  const test::Outcome done = calibrate({"--plot", path("heads.svg")});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("chosen: "), std::string::npos) << done.out;
  const artifacts::ArtifactFile file(path("tiny.h5"));
  const auto found = artifacts::read_pld_plus_heads(file.reader(), artifacts::kPldPlusHeads);
  EXPECT_EQ(found.tasks, (std::vector<std::string>{"a", "h", "r", "t"}));
  EXPECT_GT(std::accumulate(found.tokens.begin(), found.tokens.end(), std::int64_t{0}), 20);
  // The first and the third prompt are the ranking's half.
  EXPECT_GT(found.tokens[0], 0);
  EXPECT_GT(found.tokens[1], 0);
  EXPECT_EQ(found.tokens[2], 0);
  EXPECT_EQ(found.tokens[3], 0);
  EXPECT_EQ(found.tokens[4], 0);
  const std::size_t heads = 8;
  std::vector<std::int64_t> hits(heads, 0);
  for (std::size_t i = 0; i < 4 * heads; ++i) hits[i % heads] += found.hits[i];
  std::set<int> ranked;
  for (std::size_t i = 0; i < heads; ++i) {
    const auto at = [&](std::size_t n) {
      return static_cast<std::size_t>(4 * (found.ranking[2 * n] - 1) + found.ranking[2 * n + 1]);
    };
    ranked.insert(static_cast<int>(at(i)));
    if (i > 0) {
      EXPECT_GE(hits[at(i - 1)], hits[at(i)]);
    }
  }
  EXPECT_EQ(ranked.size(), heads);
  EXPECT_EQ(found.sweep_heads, (std::vector<std::int32_t>{1, 2, 3, 5, 8}));
  for (const double tau : found.sweep) EXPECT_GE(tau, 1);
  const auto best = std::max_element(found.sweep.begin(), found.sweep.end()) - found.sweep.begin();
  EXPECT_EQ(found.chosen, found.sweep_heads[static_cast<std::size_t>(best / 2)]);
  EXPECT_EQ(found.aggregation, best % 2 == 0 ? "max" : "sum");
  const test::Outcome shown = test::run_command(add_inspect, {"inspect", path("tiny.h5")});
  ASSERT_EQ(shown.code, 0) << shown.err;
  expect_by_temperature(found.temperatures, {0, 1});
  for (const auto& at : found.temperatures) expect_shown(at, shown.out);
  const cost::Trials trials = priced_trials(file, "pld-plus-a");
  EXPECT_EQ(trials.drafter, found.choice());
  expect_tried(trials, 1, done.out);
  ASSERT_EQ(found.sweep_at.size(), 2 * found.sweep.size());
  // What is tried is tried at each temperature; the whole lies between.
  for (std::size_t i = 0; i < found.sweep.size(); ++i) {
    const auto [low, high] = std::minmax(found.sweep_at[i], found.sweep_at[found.sweep.size() + i]);
    EXPECT_GE(found.sweep[i], low - 1e-12);
    EXPECT_LE(found.sweep[i], high + 1e-12);
  }
  const std::vector<double> shares = draft::hit_shares(found);
  ASSERT_EQ(shares.size(), heads);
  std::int64_t tokens = 0, first_head = 0;
  for (const std::int64_t count : found.tokens) tokens += count;
  for (std::size_t i = 0; i < found.hits.size(); i += heads) first_head += found.hits[i];
  EXPECT_NEAR(shares[0], static_cast<double>(first_head) / static_cast<double>(tokens), 1e-12);
  const std::string plot = read(path("heads.svg"));
  std::set<std::size_t> leaders[2];
  for (std::size_t half = 0; half < 2; ++half) {
    std::vector<std::int64_t> of_half(heads, 0);
    for (std::size_t i = 0; i < 4 * heads; ++i)
      of_half[i % heads] += found.hits[4 * heads * half + i];
    while (leaders[half].size() < 4) {
      const auto most = std::max_element(of_half.begin(), of_half.end());
      leaders[half].insert(static_cast<std::size_t>(most - of_half.begin()));
      *most = -1;
    }
  }
  const auto common = std::count_if(leaders[0].begin(), leaders[0].end(),
                                    [&](std::size_t head) { return leaders[1].count(head) > 0; });
  EXPECT_NE(shown.out.find(fmt::format("{} of the 4 heads with the most hits are the same in both "
                                       "halves of the prompts, 2.0 by chance",
                                       common)),
            std::string::npos)
      << shown.out;
  EXPECT_EQ(file.reader().read_number<std::int32_t>("/pld_plus/heads/halves/in_common"), common);
  for (const double share : shares) {
    EXPECT_NE(plot.find(fmt::format(">{:.1f}<", 100 * share)), std::string::npos) << plot;
    EXPECT_NE(shown.out.find(fmt::format(" {:>5.1f}", 100 * share)), std::string::npos)
        << shown.out;
  }
  EXPECT_NE(shown.out.find(fmt::format("chosen: {} heads, {}", found.chosen, found.aggregation)),
            std::string::npos);
  EXPECT_EQ(file.reader().read<double>("/pld_plus/heads/hit_shares", {2, 4}), shares);
  // What is shown of the file was shown when it was made.
  EXPECT_NE(shown.out.find(done.out.substr(0, done.out.find("Speeds are predicted"))),
            std::string::npos)
      << done.out;
}

TEST_F(HeadsCommand, MakesAnswersUntilThereAreTokensEnoughToRankBy) {
  const test::Outcome done =
      test::run_command(add_heads, {"heads", "-m", path("tiny.gguf"), "--prompts", path("p.jsonl"),
                                    "-n", "4", "--artifacts", path("tiny.h5")});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.err.find(" copied tokens to rank heads by, 20000 wanted"), std::string::npos);
  EXPECT_NE(done.out.find("fewer than 20000"), std::string::npos) << done.out;
  const artifacts::ArtifactFile file(path("tiny.h5"));
  const auto found = artifacts::read_pld_plus_heads(file.reader(), artifacts::kPldPlusHeads);
  for (std::size_t i = 0; i < found.tasks.size(); ++i)
    EXPECT_NE(done.out.find(fmt::format("\n{:<15} {:<10} {:<10} ", found.tasks[i], found.tokens[i],
                                        found.tokens[found.tasks.size() + i])),
              std::string::npos)
        << done.out;
}

TEST_F(HeadsCommand, DecodingTakesWhatItFound) {
  ASSERT_EQ(calibrate().code, 0);
  for (const std::vector<std::string>& how : {std::vector<std::string>{},
                                              {"--heads", "3"},
                                              {"--temperature", "0.8"},
                                              {"--draft-length", "0"},
                                              {"--draft-length", "5"}}) {
    std::vector<std::string> words = {"--artifacts", path("tiny.h5"), "--check"};
    words.insert(words.end(), how.begin(), how.end());
    const test::Outcome done = decode(words);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.err.find("check: 1 of 1 texts"), std::string::npos) << done.err;
  }
  const test::Outcome many = decode({"--artifacts", path("tiny.h5"), "--heads", "9"});
  EXPECT_EQ(many.code, 2);
  EXPECT_NE(many.err.find("--heads: expected 1 to 8 of the ranking, found 9"), std::string::npos);
  // Lengths for each step go with the heads that they were found with.
  const test::Outcome others = decode({"--heads", "1:0", "--draft-length", "0"});
  EXPECT_EQ(others.code, 2);
  EXPECT_NE(others.err.find("--draft-length: expected at least 1; 0 is for pld-plus-h and"),
            std::string::npos)
      << others.err;
  for (const char* temperature : {"0", "1"}) {
    const test::Outcome replayed = test::run_command(
        add_replay, {"replay", "-m", path("tiny.gguf"), "--prompts", path("p.jsonl"), "-n", "40",
                     "--artifacts", path("tiny.h5"), "--method", "pld-plus-a", "--draft-length",
                     "0", "--temperature", temperature, "--quiet"});
    EXPECT_EQ(replayed.code, 0) << replayed.err;
  }
}

TEST_F(HeadsCommand, TheLayerCommandAddsItsResultToTheSameFile) {
  ASSERT_EQ(calibrate().code, 0);
  const test::Outcome done = test::run_command(
      add_layer, {"layer", "-m", path("tiny.gguf"), "--prompts", path("p.jsonl"), "--samples", "2",
                  "-n", "30", "--artifacts", path("tiny.h5"), "--plot", path("layer.svg")});
  ASSERT_EQ(done.code, 0) << done.err;
  const artifacts::ArtifactFile file(path("tiny.h5"));
  EXPECT_TRUE(file.has(artifacts::kPldPlusHeads));
  const auto found = artifacts::read_pld_plus_layer(file.reader(), artifacts::kPldPlusLayer);
  ASSERT_EQ(found.by_layer.size(), 3u);
  const auto best = std::max_element(found.by_layer.begin(), found.by_layer.end());
  EXPECT_EQ(found.chosen, best - found.by_layer.begin());
  ASSERT_EQ(found.by_mean.size(), 6u);
  EXPECT_EQ(found.by_mean[0], *best);
  EXPECT_EQ(found.logit_weights, (std::vector<double>{0, 0.005, 0.01, 0.015, 0.02, 0.03}));
  const std::vector<double>& by_weight = found.by_logit_weight;
  ASSERT_EQ(by_weight.size(), 6u);
  EXPECT_EQ(by_weight[0], found.by_mean[0]);
  const auto weight =
      static_cast<std::size_t>(std::max_element(by_weight.begin(), by_weight.end()) -
                               by_weight.begin());  // the first among equals
  EXPECT_EQ(found.logit_weight, found.logit_weights[weight]);
  const test::Outcome shown = test::run_command(add_inspect, {"inspect", path("tiny.h5")});
  EXPECT_NE(shown.out.find(fmt::format("\nchosen: weight {}\n", found.logit_weight)),
            std::string::npos)
      << shown.out;
  for (const double tau : found.by_layer)
    EXPECT_NE(shown.out.find(fmt::format(" {:.3f} #", tau)), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find(fmt::format("\n6       {:.3f} #", found.by_mean[5])), std::string::npos)
      << shown.out;
  const std::string plot = read(path("layer.svg"));
  EXPECT_NE(plot.find(">weight of a logit<"), std::string::npos);
  expect_by_temperature(found.temperatures, {0, 1});
  const cost::Trials trials = priced_trials(file, "pld-plus-h");
  EXPECT_EQ(trials.drafter, found.choice());
  expect_tried(trials, 7, done.out);
  ASSERT_EQ(found.by_layer_at.size(), 2 * found.by_layer.size());
  ASSERT_EQ(found.by_logit_weight_at.size(), 2 * by_weight.size());
  for (std::size_t i = 0; i < 2; ++i) {
    expect_shown(found.temperatures[i], shown.out);
    // No threshold, at the draft length at which layers were compared.
    const cost::Trial* const same = trials.by_temperature[i].find(
        {{"draft-length", static_cast<double>(found.draft_length)}, {"threshold", -1.0}});
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(same->tokens_per_pass(), found.by_logit_weight_at[i * by_weight.size() + weight]);
    EXPECT_EQ(
        found.by_logit_weight_at[i * by_weight.size()],
        found.by_layer_at[i * found.by_layer.size() + static_cast<std::size_t>(found.chosen)]);
  }
  const test::Outcome decoded =
      test::run_command(add_decode, {"decode", "-m", path("tiny.gguf"), "-p", "abc abd abc", "-n",
                                     "40", "--method", "pld-plus-h", "--artifacts", path("tiny.h5"),
                                     "--costs", "stored", "--check", "--json", "-"});
  EXPECT_EQ(decoded.code, 0) << decoded.err;
  const cost::Trial& fastest = *trials.by_temperature[0].best(trials.names, {}, {});
  const int length = static_cast<int>(cost::number_of(fastest.settings, "draft-length"));
  EXPECT_EQ(found.temperatures[0].by_step->otherwise, length);
  for (const auto& [name, value] :
       {std::pair{"layer", found.chosen},
        {"draft_length", found.temperatures[0].by_step->is_faster() ? 0 : length}}) {
    EXPECT_NE(decoded.out.find(fmt::format("\"{}\":{},", name, value)), std::string::npos)
        << decoded.out;
  }
}

/// Answers of five letters, as one biased target gives them: there is much to choose from at every step.
TEST_F(HeadsCommand, SettingsAreThoseOfTheWeightThatWasChosen) {
  std::ofstream prompts(path("letters.jsonl"));
  for (const Token token : test::random_tokens(8, 5, 1))
    prompts << "{\"turns\": [\"abcdeacebdadbec" << static_cast<char>('a' + token) << "\"]}\n";
  prompts.close();
  std::vector<std::string> words = {
      "traces", "-m", path("tiny.gguf"), "--prompts", path("letters.jsonl"), "-o", path("traces"),
      "-n",     "80", "--samples",       "2",         "--temperature",       "1",  "1",
      "--quiet"};
  for (const char letter : {'a', 'b', 'c', 'd', 'e'})
    words.insert(words.end(),
                 {"--logit-bias", fmt::format("{}=30", 3 + static_cast<unsigned char>(letter))});
  const test::Outcome made = test::run_command(data::add_traces, words);
  ASSERT_EQ(made.code, 0) << made.err;
  const test::Outcome done =
      test::run_command(add_layer, {"layer", "-m", path("tiny.gguf"), "--data", path("traces"),
                                    "--artifacts", path("tiny.h5"), "--quiet"});
  ASSERT_EQ(done.code, 0) << done.err;
  const artifacts::ArtifactFile file(path("tiny.h5"));
  const auto found = artifacts::read_pld_plus_layer(file.reader(), artifacts::kPldPlusLayer);
  const auto& by_weight = found.by_logit_weight;
  const auto best = std::max_element(by_weight.begin(), by_weight.end());
  ASSERT_GT(*best, by_weight[0]) << done.out;  // so that the wrong weight would be seen
  EXPECT_EQ(found.logit_weight,
            found.logit_weights[static_cast<std::size_t>(best - by_weight.begin())]);
  const cost::Trials trials = priced_trials(file, "pld-plus-h");
  ASSERT_EQ(trials.by_temperature.size(), 1U);
  EXPECT_EQ(trials.by_temperature[0]
                .find({{"draft-length", 10.0}, {"threshold", -1.0}})
                ->tokens_per_pass(),
            *best);
}

TEST_F(HeadsCommand, RefusesASinglePromptAndAStoreThatIsNotThere) {
  std::ofstream(path("p.jsonl")) << "{\"turns\": [\"hello\"]}\n";
  const test::Outcome one = calibrate();
  EXPECT_EQ(one.code, 2);
  EXPECT_NE(one.err.find("expected answers to at least two prompts"), std::string::npos) << one.err;
  EXPECT_EQ(calibrate({"--data", path("absent")}).code, 2);
}

}  // namespace
}  // namespace outrider::calibrate
