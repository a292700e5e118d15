// scripts/compare_pld_plus, whose replays are done here again.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "runtime/base/token.h"
#include "tests/cli/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

constexpr int kLength = 10;

std::vector<Token> text_of(const Json& record) {
  auto text = record["prompt_tokens"].get<std::vector<Token>>();
  for (const Json& token : record["output_tokens"]) text.push_back(token.get<Token>());
  return text;
}

/// How far the place that agrees the furthest does, of those that hold the token at t, within `length`
/// tokens. The pass gives one token more, so the text's last one need not be drafted.
int best_agreement(const std::vector<Token>& text, std::size_t t, int length) {
  std::size_t best = 0;
  for (std::size_t j = 0; j < t; ++j) {
    if (text[j] != text[t]) continue;
    const auto behind = text.begin() + static_cast<std::ptrdiff_t>(t) + 1;
    const auto [differs, there] = std::mismatch(text.begin() + static_cast<std::ptrdiff_t>(j) + 1,
                                                behind, behind, text.end() - 1);
    best = std::max(best, static_cast<std::size_t>(there - behind));
  }
  return std::min(static_cast<int>(best), length);
}

double oracle_tokens_per_pass(const std::vector<Json>& records) {
  double tokens = 0, passes = 0;
  for (const Json& record : records) {
    const auto text = text_of(record);
    std::size_t t = record["prompt_tokens"].size();
    tokens += static_cast<double>(text.size() - 1 - t);
    for (; t < text.size() - 1; ++passes)
      t += static_cast<std::size_t>(best_agreement(text, t, kLength)) + 1;
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
      // A length of 0 stands for one that is chosen at each step.
      const int most = length > 0 ? length : drafted;
      if (drafted > 0 && accepted < best_agreement(text, t, most)) ++wrong;
      t += static_cast<std::size_t>(accepted) + 1;
    }
  }
  return static_cast<double>(wrong) / drafts;
}

TEST(ComparePldPlus, TellsTheOracleAndTheShareOfWrongDrafts) {
  const Shell shell;
  shell.write("words.jsonl",
              "{\"turns\": [\"abc abd abc abd abc\"]}\n{\"turns\": [\"ring a ring a roses\"]}\n"
              "{\"turns\": [\"the cat and the hat\"]}\n");
  for (const std::string result : {"heads", "layer"}) {
    const Outcome made = shell.run("\"$calibrate\" " + result +
                                   " -m $tiny --prompts words.jsonl --samples 2 -n 30 --artifacts "
                                   "tiny.h5 --quiet");
    ASSERT_EQ(made.status, 0) << made.err;
  }
  const Outcome outcome = shell.run(
      "\"$source/scripts/compare_pld_plus\" $tiny words.jsonl --runtime \"$runtime\" --out made "
      "--artifacts tiny.h5 -n 60 -r 2 -k 3 -t 0 0.7");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Every text is the same with every method"), std::string::npos);
  std::map<double, std::map<std::string, std::vector<Json>>> records;
  std::istringstream lines(shell.read("made/records.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    Json record = Json::parse(line);
    auto& of_method = records[record["settings"]["temperature"]][record["row"]];
    if (of_method.size() < 3) of_method.push_back(std::move(record));  // of the first round
  }
  int tables = 0;
  for (const Json& table : Json::parse(shell.read("made/figures.json"))) {
    const std::string name = table["name"];
    if (name.find("loops") != std::string::npos) continue;
    ++tables;
    auto& of_table = records[name == "words, temperature 0" ? 0 : 0.7];
    const double oracle = table["oracle_tokens_per_pass"];
    EXPECT_NEAR(oracle, oracle_tokens_per_pass(of_table["ar"]), 1e-9);
    EXPECT_EQ(table["methods"]["ar"]["tokens_per_pass"], 1);
    for (const std::string method :
         {"pld 3", "pld 10", "pld-plus-a 10", "pld-plus-h 10", "pld-plus-h calibrated"}) {
      const Json& row = table["methods"][method];
      EXPECT_EQ(row["speed_up"].size(), 2u);
      if (row["wrong_share"].is_null()) continue;
      EXPECT_NEAR(row["wrong_share"].get<double>(), wrong_share(of_table[method]), 1e-9) << method;
    }
  }
  EXPECT_EQ(tables, 2);
}

TEST(ComparePldPlus, NamesMistakes) {
  const Shell shell;
  const std::string script = "\"$source/scripts/compare_pld_plus\" $tiny --runtime \"$runtime\" ";
  const Outcome absent = shell.run(script + "absent.jsonl --out made");
  EXPECT_EQ(absent.status, 2);
  EXPECT_NE(absent.err.find("absent.jsonl"), std::string::npos) << absent.err;
  EXPECT_EQ(shell.run(script + "a.jsonl b/a.jsonl --out made").status, 2);
  EXPECT_EQ(shell.run(script + "a.jsonl -r 0 --out made").status, 2);
}

}  // namespace
}  // namespace outrider::test
