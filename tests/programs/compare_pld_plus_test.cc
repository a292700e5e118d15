// scripts/compare_pld_plus, whose replays are done here again.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "data/loops.h"
#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/base/token.h"
#include "tests/methods/pld_plus_results.h"
#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

constexpr int kLength = 10;

std::vector<Token> text_of(const Json& record) {
  auto text = record["prompt_tokens"].get<std::vector<Token>>();
  for (const Json& token : record["output_tokens"]) text.push_back(token.get<Token>());
  return text;
}

/// The most tokens after position t, up to `length`, that also follow an earlier position with the same
/// token. The pass adds one token more, so the text's last one need not be drafted.
int best_agreement(const std::vector<Token>& text, std::size_t t, int length) {
  std::size_t best = 0;
  for (std::size_t j = 0; j < t; ++j) {
    if (text[j] != text[t]) continue;
    const auto after = text.begin() + static_cast<std::ptrdiff_t>(t) + 1;
    const auto [differs, there] = std::mismatch(text.begin() + static_cast<std::ptrdiff_t>(j) + 1,
                                                after, after, text.end() - 1);
    best = std::max(best, static_cast<std::size_t>(there - after));
  }
  return std::min(static_cast<int>(best), length);
}

double oracle_tokens_per_pass(const std::vector<Json>& records, int length) {
  double tokens = 0, passes = 0;
  for (const Json& record : records) {
    const auto text = text_of(record);
    std::size_t t = record["prompt_tokens"].size();
    tokens += static_cast<double>(text.size() - 1 - t);
    for (; t < text.size() - 1; ++passes)
      t += static_cast<std::size_t>(best_agreement(text, t, length)) + 1;
  }
  return tokens / passes;
}

double wrong_share(const std::vector<Json>& records) {
  int wrong = 0, drafts = 0;
  for (const Json& record : records) {
    const auto text = text_of(record);
    const int length = record["settings"]["draft_length"];
    std::size_t t = record["prompt_tokens"].size();
    for (const Json& pass : record["drafts"]) {
      const int drafted = pass[0], accepted = pass[1];
      drafts += drafted > 0 ? 1 : 0;
      // A length of 0: one that is chosen at each step.
      const int most = length > 0 ? length : drafted;
      if (drafted > 0 && accepted < best_agreement(text, t, most)) ++wrong;
      t += static_cast<std::size_t>(accepted) + 1;
    }
  }
  return static_cast<double>(wrong) / drafts;
}

/// Where the second repeat of the first loop begins that `data` marks; the text's end without one.
std::size_t end_of(const std::vector<Token>& generated) {
  const std::vector<std::uint8_t> flags = data::loop_flags(generated);
  const auto begin = std::find(flags.begin(), flags.end(), 1) - flags.begin();
  for (std::ptrdiff_t period = 1; begin + 4 * period <= std::ssize(generated); ++period) {
    const auto once = generated.begin() + begin;
    if (std::equal(once, once + 3 * period, once + period))
      return static_cast<std::size_t>(begin + 2 * period);
  }
  return generated.size();
}

bool loops(const Json& record) {
  const auto generated = record["output_tokens"].get<std::vector<Token>>();
  return end_of(generated) < generated.size();
}

/// Tokens and passes up to there.
double tokens_per_pass_without_loops(const std::vector<Json>& records) {
  double tokens = 0, passes = 0;
  for (const Json& record : records) {
    const std::size_t end = end_of(record["output_tokens"].get<std::vector<Token>>());
    tokens += static_cast<double>(end) - 1;
    std::size_t generated = 1;
    for (auto pass = record["drafts"].begin(); generated < end; ++pass, ++passes)
      generated += (*pass)[1].get<std::size_t>() + 1;
  }
  return tokens / passes;
}

double tokens_per_second(const std::vector<Json>& records, bool with_prefill) {
  double tokens = 0, seconds = 0;
  for (const Json& record : records) {
    tokens += static_cast<double>(record["output_tokens"].size()) - (with_prefill ? 0 : 1);
    seconds += record["decode_seconds"].get<double>();
    if (with_prefill) seconds += record["prefill_seconds"].get<double>();
  }
  return tokens / seconds;
}

/// Three prompts, one of them of two turns, and what calibration finds in them.
void make_artifact(const Shell& shell) {
  shell.write("words.jsonl",
              "{\"turns\": [\"abc abd abc abd abc\"]}\n{\"turns\": [\"ring a ring a roses\"]}\n"
              "{\"turns\": [\"the cat and the hat\", \"and the bat\"]}\n");
  for (const std::string result : {"heads", "layer"}) {
    const Outcome made = shell.run("\"$calibrate\" " + result +
                                   " -m $tiny --prompts words.jsonl --samples 2 -n 30 --artifacts "
                                   "tiny.h5 --quiet");
    ASSERT_EQ(made.status, 0) << made.err;
  }
}

/// As if calibration had found this: lengths for each step at temperature 0 only, and a weight of logits.
void set_settings(const std::string& path) {
  const artifacts::ArtifactFile file(path);
  auto found = artifacts::read_pld_plus_layer(file.reader(), artifacts::kPldPlusLayer);
  draft::PldPlusLengths lengths;
  lengths.sources = {100};
  lengths.accepted = {50, 50};
  lengths.seconds = {1, 1, 1};
  found.temperatures = {{0, lengths}, {1}};
  found.by_layer_at.assign(2 * found.by_layer.size(), 1);
  found.logit_weights = {0, 0.5};
  found.by_logit_weight = {1, 2};
  found.by_logit_weight_at = {1, 2, 1, 2};
  found.logit_weight = 0.5;
  artifacts::replace_group(path, file.target(), artifacts::kPldPlusLayer, {},
                           [&](hdf5::Writer& made, const std::string& group) {
                             artifacts::write_pld_plus_layer(found, made, group);
                           });
  write_copies(path, file.target(), "pld-plus-h", found.choice(),
               {{0, {copied(3, 0.25, 150), copied(3, -1, 140)}}, {1, {copied(5, -1, 150)}}});
}

/// The length that is chosen of a method's trials at temperature 0.
int best_length(const artifacts::ArtifactFile& file, const std::string& method) {
  cost::Trials trials = artifacts::read_trials(file.reader(), artifacts::trials_group(method));
  cost::TemperatureTrials& cold = trials.by_temperature.front();
  for (const std::string& group : file.groups()) {
    if (!group.ends_with("/drafting/" + method)) continue;
    const auto drafting = artifacts::read_drafting_cost(file.reader(), group);
    cold.price(
        cost::TrialPrices::at(0, cost::CostModel(drafting.passes), trials.context, drafting));
  }
  return static_cast<int>(
      cost::number_of(cold.best(trials.names, {}, {})->settings, "draft-length"));
}

/// Runs the script; records by the name of their table and their row.
std::map<std::string, std::map<std::string, std::vector<Json>>> compare(const Shell& shell,
                                                                        const std::string& flags) {
  const Outcome outcome = shell.run(
      "\"$source/scripts/compare_pld_plus\" $tiny words.jsonl --runtime \"$runtime\" "
      "--calibrate \"$calibrate\" --out made --artifacts tiny.h5 -k 3 --long 6 " +
      flags);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const bool decodes = flags.find("--acceptance-only") == std::string::npos;  // with every method
  EXPECT_EQ(outcome.out.find("Every text is the same with every method") != std::string::npos,
            decodes);
  std::map<std::string, std::map<std::string, std::vector<Json>>> records;
  std::istringstream lines(shell.read("made/records.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    Json record = Json::parse(line);
    const bool cold = record["settings"]["temperature"] == 0;
    auto& rows = records[fmt::format("words, temperature {}, {} turns", cold ? "0" : "0.7",
                                     record.contains("turn") ? "all" : "first")];
    rows[record["row"]].push_back(std::move(record));
  }
  return records;
}

std::vector<Json> part(const std::vector<Json>& records, std::ptrdiff_t first,
                       std::ptrdiff_t count) {
  return std::vector<Json>(records.begin() + first, records.begin() + first + count);
}

TEST(ComparePldPlus, CountsInAllPromptsAndTimesSome) {
  const Shell shell;
  make_artifact(shell);
  auto records = compare(shell, "-n 60 -l 2 -r 2 -a 3 -t 0 0.7 --turns first");
  int tables = 0;
  const Json run = Json::parse(shell.read("made/figures.json"));
  for (const Json& table : run["tables"]) {
    const std::string name = table["name"];
    if (!records.count(name)) continue;  // without loops
    ++tables;
    const auto counted = [&](const std::string& row) { return part(records[name].at(row), 0, 3); };
    EXPECT_EQ(table["texts"], 3);
    EXPECT_EQ(table["timed"], 2);
    for (const int length : {kLength, 6}) {
      const double oracle = table["oracle_tokens_per_pass"][std::to_string(length)];
      EXPECT_NEAR(oracle, oracle_tokens_per_pass(counted("ar"), length), 1e-9);
    }
    EXPECT_EQ(table["methods"]["ar"]["tokens_per_pass"], 1);
    EXPECT_EQ(table["methods"].size(), records[name].size());
    for (const auto& [method, row] : table["methods"].items()) {
      if (!row["wrong_share"].is_null()) {
        EXPECT_NEAR(row["wrong_share"].get<double>(), wrong_share(counted(method)), 1e-9) << method;
      }
      if (method.ends_with(" 6") || method.ends_with(" 6 with logits")) {
        EXPECT_EQ(records[name][method].size(), 3u) << method;
        EXPECT_TRUE(row["tokens_per_second"].empty());
        continue;
      }
      // After the three that are replayed two rounds of two, which are decoded.
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_EQ(records[name][method][i]["drafts"], records[name][method][3 + i]["drafts"]);
      for (const bool with_prefill : {false, true}) {
        const double plain = tokens_per_second(part(records[name]["ar"], 5, 2), with_prefill);
        const double rate = tokens_per_second(part(records[name][method], 5, 2), with_prefill);
        EXPECT_NEAR(row[with_prefill ? "with_prefill" : "tokens_per_second"][1], rate, 1e-6);
        EXPECT_NEAR(row[with_prefill ? "speed_up_with_prefill" : "speed_up"][1], rate / plain,
                    1e-9);
      }
    }
  }
  EXPECT_EQ(tables, 2);
}

TEST(ComparePldPlus, DecodesAsThePaperAndAsCalibrated) {
  const Shell shell;
  make_artifact(shell);
  const std::string path = (shell.path() / "tiny.h5").string();
  set_settings(path);
  auto records = compare(shell, "-n 40 -l 1 -r 1 -t 0 0.7 --turns first");
  const auto setting = [&](const std::string& temperature, const std::string& row,
                           const char* name) {
    return records["words, temperature " + temperature + ", first turns"].at(
        row)[0]["settings"][name];
  };
  for (const std::string temperature : {"0", "0.7"}) {
    EXPECT_EQ(setting(temperature, "pld-plus-h 10", "threshold"), -1);
    EXPECT_EQ(setting(temperature, "pld-plus-h 10", "draft_length"), 10);
    for (const char* length : {"10", "6"}) {
      const std::string row = std::string("pld-plus-h ") + length;
      EXPECT_EQ(setting(temperature, row, "logit_weight"), 0);
      EXPECT_EQ(setting(temperature, row + " with logits", "logit_weight"), 0.5);
      EXPECT_EQ(setting(temperature, row + " with logits", "draft_length"), std::stoi(length));
    }
    EXPECT_EQ(setting(temperature, "pld-plus-h calibrated K", "logit_weight"), 0.5);
    EXPECT_EQ(records["words, temperature " + temperature + ", first turns"].count(
                  "pld-plus-a 10 with logits"),
              0u);
    EXPECT_EQ(setting(temperature, "pld-plus-a 10", "draft_length"), 10);
    EXPECT_EQ(setting(temperature, "pld-plus-a 6", "draft_length"), 6);
    EXPECT_EQ(setting(temperature, "pld-plus-h 6", "threshold"), -1);
    EXPECT_EQ(setting(temperature, "pld 6", "draft_length"), 6);
  }
  EXPECT_EQ(setting("0", "pld-plus-h calibrated K", "draft_length"), 3);
  EXPECT_EQ(setting("0", "pld-plus-h calibrated K", "threshold"), 0.25);
  EXPECT_EQ(setting("0.7", "pld-plus-h calibrated K", "draft_length"), 5);
  EXPECT_EQ(setting("0.7", "pld-plus-h calibrated K", "threshold"), -1);
  EXPECT_EQ(setting("0", "pld-plus-h per-step length", "draft_length"), 0);
  EXPECT_EQ(setting("0", "pld-plus-h per-step length", "threshold"), -1);
  EXPECT_EQ(records["words, temperature 0.7, first turns"].count("pld-plus-h per-step length"), 0u);
  const artifacts::ArtifactFile file(path);
  EXPECT_EQ(setting("0", "pld-plus-a calibrated K", "draft_length"),
            best_length(file, "pld-plus-a"));
}

TEST(ComparePldPlus, CountsUpToTheSecondRepeatOfALoop) {
  const Shell shell;
  make_artifact(shell);
  auto records = compare(shell, "-n 90 --acceptance-only --turns all -t 0");
  const Json tables = Json::parse(shell.read("made/figures.json"))["tables"];
  ASSERT_EQ(tables.size(), 2u);
  const std::string name = tables[0]["name"];
  ASSERT_EQ(tables[1]["name"], name + ", without loops");
  const std::vector<Json>& plain = records[name]["ar"];
  ASSERT_EQ(plain.size(), 4u);  // one prompt has two turns
  ASSERT_TRUE(std::any_of(plain.begin(), plain.end(), loops));
  for (const auto& [method, row] : tables[1]["methods"].items()) {
    EXPECT_NEAR(row["tokens_per_pass"].get<double>(),
                tokens_per_pass_without_loops(records[name][method]), 1e-9)
        << method;
    EXPECT_TRUE(row["tokens_per_second"].empty());
  }
  const std::string best = tables[1]["best_pld"]["most per pass"];
  const double most = tables[1]["methods"][best]["tokens_per_pass"];
  for (const char* lookup : {"pld 3", "pld 10"})
    EXPECT_LE(tables[1]["methods"][lookup]["tokens_per_pass"], most);
  const double copied = tables[1]["methods"]["pld-plus-a 10"]["tokens_per_pass"];
  EXPECT_NEAR(tables[1]["tokens_per_pass_over"][best]["pld-plus-a 10"], copied / most, 1e-9);
}

TEST(ComparePldPlus, NamesMistakes) {
  const Shell shell;
  const std::string script = "\"$source/scripts/compare_pld_plus\" $tiny --runtime \"$runtime\" ";
  const Outcome absent = shell.run(script + "absent.jsonl --out made");
  EXPECT_EQ(absent.status, 2);
  EXPECT_NE(absent.err.find("absent.jsonl"), std::string::npos) << absent.err;
  EXPECT_EQ(shell.run(script + "a.jsonl b/a.jsonl --out made").status, 2);
  EXPECT_EQ(shell.run(script + "a.jsonl -r 0 --out made").status, 2);
  EXPECT_EQ(shell.run(script + "a.jsonl -a -1 --out made").status, 2);
}

}  // namespace
}  // namespace outrider::test
