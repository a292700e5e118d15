// scripts/compare_methods, whose tables by task and by length are divided here again.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

const char* const kThreeRows =
    " --row copies \"--method pld --draft-length 3\" --row tables \"--method context-ngram "
    "--drafts "
    "2 --draft-length 2\" --row whatever \"\"";

Outcome compared(const Shell& shell, const std::string& flags) {
  return shell.run(
      "\"$source/scripts/compare_methods\" $tiny words.jsonl --runtime \"$runtime\" --calibrate "
      "\"$calibrate\" --out made --threads 1 -n 40 --costs stored " +
      flags);
}

constexpr std::string_view kWithoutLoops = ", without loops";

/// Figures by the name of their table, but for those without loops.
std::map<std::string, Json> figures_made(const Shell& shell) {
  std::map<std::string, Json> found;
  for (const Json& table : Json::parse(shell.read("made/figures.json")))
    if (const auto name = table["name"].get<std::string>(); !name.ends_with(kWithoutLoops))
      found[name] = table;
  return found;
}

void write_three_prompts(const Shell& shell) {
  std::string longer;
  for (int word = 0; word < 120; ++word) longer += word % 2 == 0 ? " a" : " b";
  // U+2028 ends a line for Python's str.splitlines, not one of JSON lines.
  shell.write(
      "words.jsonl",
      "{\"id\": \"a\u2028b\", \"task\": \"copy\", \"turns\": [\"abc abd\u2028abc abd abc\"]}\n"
      "{\"task\": \"say/sing\", \"turns\": [\"the cat and the hat\", \"and the bat\"]}\n"
      "{\"task\": \"copy\", \"turns\": [\"" +
          longer + "\"]}\n");
}

TEST(CompareMethods, MakesATableForEachTaskWithTheTurnsOfAll) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome counted =
      compared(shell, std::string("--by task -t 0 0.7 --acceptance-only") + kThreeRows);
  ASSERT_EQ(counted.status, 0) << counted.err;
  EXPECT_EQ(counted.out.find("Every text is the same"),
            std::string::npos);  // none was decoded again
  EXPECT_NE(counted.out.find("temperature 0.7, 2 tables"), std::string::npos) << counted.out;
  const auto by_replay = figures_made(shell);
  const Outcome decoded = compared(shell, std::string("--by task -t 0 0.7 -r 1") + kThreeRows);
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  EXPECT_NE(decoded.out.find("Every text is the same"), std::string::npos);
  const auto by_decoding = figures_made(shell);
  ASSERT_EQ(by_replay.size(), 4U);
  EXPECT_EQ(by_replay.at("words, copy, temperature 0")["input_words"],
            Json({{"decoded", (5 + 120) / 2.0}, {"all", (5 + 120) / 2.0}, {"records", 2}}));
  EXPECT_EQ(by_replay.at("words, say-sing, temperature 0.7")["input_words"]["decoded"],
            (5 + 3) / 2.0);
  for (const auto& [name, table] : by_replay) {
    for (const auto& [method, row] : table["methods"].items()) {
      const Json& same = by_decoding.at(name)["methods"][method];
      EXPECT_EQ(row["tokens_per_pass"], same["tokens_per_pass"]) << name << method;
      EXPECT_EQ(row["accepted"], same["accepted"]) << name << method;
      EXPECT_EQ(row["drafted_per_pass"], same["drafted_per_pass"]) << name << method;
      EXPECT_EQ(row["accepted_by_depth"], same["accepted_by_depth"]) << name << method;
      EXPECT_TRUE(row["tokens_per_second"].empty());
      EXPECT_EQ(same["tokens_per_second"].size(), 1U);
    }
  }
  const Json& copies = by_replay.at("words, copy, temperature 0")["methods"]["copies"];
  EXPECT_GT(copies["tokens_per_pass"], 1);
}

TEST(CompareMethods, MakesATableForEachRangeOfLengths) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome counted =
      compared(shell, std::string("--by length -t 0 -l 1 --acceptance-only") + kThreeRows);
  ASSERT_EQ(counted.status, 0) << counted.err;
  const auto found = figures_made(shell);
  ASSERT_EQ(found.size(), 2U);
  const Json& lengths = found.at("words, below 100 words, temperature 0")["input_words"];
  EXPECT_EQ(lengths["decoded"], 5);  // the first of two
  EXPECT_DOUBLE_EQ(lengths["all"], (5 + 5 + 3) / 3.0);
  EXPECT_EQ(lengths["records"], 2);
  EXPECT_EQ(found.at("words, below 400 words, temperature 0")["input_words"]["all"], 120);
}

TEST(CompareMethods, GivesSamplingFlagsToEveryRow) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome decoded =
      compared(shell, std::string("-t 0.7 -r 1 -l 1 --sampling '--top-k 3'") + kThreeRows);
  ASSERT_EQ(decoded.status, 0) << decoded.err << decoded.out;
  std::istringstream lines(shell.read("made/records.jsonl"));
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows)
    EXPECT_EQ(Json::parse(line)["settings"]["top_k"], 3) << line;
  EXPECT_EQ(rows, 4);
}

TEST(CompareMethods, CountsDraftsByTheTokensAccepted) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome decoded = compared(shell, std::string("-t 0 -r 1") + kThreeRows);
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  std::vector<double> at_least(4, 0);
  double drafts = 0;
  std::istringstream lines(shell.read("made/records.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line);
    if (record["row"] != "copies") continue;
    for (const auto& draft : record["drafts"]) {
      if (draft[0] == 0) continue;
      ++drafts;
      for (int depth = 1; depth <= draft[1].get<int>(); ++depth)
        ++at_least.at(static_cast<std::size_t>(depth));
    }
  }
  const Json found = figures_made(shell).at("words, temperature 0")["methods"]["copies"];
  const std::size_t depths = found["accepted_by_depth"].size();
  ASSERT_GE(depths, 2U);
  for (std::size_t depth = 1; depth < at_least.size(); ++depth)
    EXPECT_DOUBLE_EQ(depth <= depths ? found["accepted_by_depth"][depth - 1].get<double>() : 0,
                     at_least[depth] / drafts);
  EXPECT_LT(at_least[2], at_least[1]);
}

TEST(CompareMethods, ShowsTextsOnceMoreWithoutLoops) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome decoded = compared(shell, std::string("-t 0 -r 1") + kThreeRows);
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  EXPECT_NE(decoded.out.find("\ntemperature 0, without loops, 1 tables"), std::string::npos)
      << decoded.out;
  const Json tables = Json::parse(shell.read("made/figures.json"));
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[1]["name"], "words, temperature 0, without loops");
  // The tiny model's texts soon repeat themselves, which is easy to copy.
  const auto tokens_per_pass = [&](std::size_t table) {
    return tables[table]["methods"]["copies"]["tokens_per_pass"].get<double>();
  };
  EXPECT_GT(tokens_per_pass(1), 1);
  EXPECT_LT(tokens_per_pass(1), tokens_per_pass(0));
  EXPECT_EQ(tables[1]["methods"]["ar"]["tokens_per_pass"], 1);
}

TEST(CompareMethods, NamesAFieldThatARecordLacks) {
  const Shell shell;
  write_three_prompts(shell);
  const Outcome outcome = compared(shell, "--by source");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--by source: a record of words.jsonl has no such field"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace outrider::test
