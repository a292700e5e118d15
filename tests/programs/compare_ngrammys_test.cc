// scripts/compare_ngrammys, whose sums over records are done here again.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

/// Of the first of two rounds, by method; three prompts.
std::map<std::string, std::vector<Json>> first_round(const std::string& lines) {
  std::map<std::string, std::vector<Json>> records;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    Json record = Json::parse(line);
    auto& of_row = records[record["row"]];
    if (of_row.size() < 3) of_row.push_back(std::move(record));
  }
  return records;
}

/// Rows of the passes by those of blocks of k times w + 1.
double tree_share(const std::vector<Json>& records) {
  double rows = 0, blocks = 0;
  for (const Json& record : records) {
    for (const Json& pass : record["drafts"]) {
      rows += 1 + pass[0].get<int>();
      blocks += pass[0] == 0 ? 1 : 0;
    }
    if (!record.contains("rows")) continue;
    blocks += record["rows"]["tokens"].get<double>();
    for (const auto& [source, counts] : record["rows"].items())
      if (counts.is_object())
        for (const Json& count : counts["allotted"]) blocks += count.get<double>();
  }
  return rows / blocks;
}

/// Every token that was accepted is credited to a row of some source.
void expect_credited(const Json& sources, const std::vector<Json>& records) {
  std::int64_t accepted = 0, credited = 0, by_length = 0;
  for (const Json& record : records) accepted += record["accepted"].get<std::int64_t>();
  for (const auto& [source, counts] : sources.items()) {
    for (const Json& tokens : counts["accepted_tokens"]) credited += tokens.get<std::int64_t>();
    for (const auto& [length, passes] : counts["passes_by_accepted"].items())
      by_length += std::stoi(length) * passes.get<std::int64_t>();
  }
  EXPECT_EQ(credited, accepted);
  EXPECT_EQ(by_length, accepted);
}

TEST(CompareNgrammys, TellsTheShareOfTheTreeAndWhatBecameOfRows) {
  const Shell shell;
  shell.write("words.jsonl",
              "{\"turns\": [\"abc abd abc abd abc\"]}\n{\"turns\": [\"ring a ring a roses\"]}\n"
              "{\"turns\": [\"the cat and the hat\"]}\n");
  const Outcome made = shell.run(
      "\"$calibrate\" ngrammys -m $tiny --prompts words.jsonl --samples 2 -n 30 --keep-top 12 "
      "--artifacts tiny.h5 --threads 1 --quiet");
  ASSERT_EQ(made.status, 0) << made.err;
  const Outcome outcome = shell.run(
      "\"$source/scripts/compare_ngrammys\" $tiny words.jsonl --runtime \"$runtime\" --out made "
      "--artifacts tiny.h5 -n 50 -r 2 -t 0.7 --threads 1");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Every text is the same with every method"), std::string::npos);

  const auto records = first_round(shell.read("made/records.jsonl"));
  const Json tables = Json::parse(shell.read("made/figures.json"))["tables"];
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0]["name"], "words, temperature 0.7");
  const Json& methods = tables[0]["methods"];
  EXPECT_EQ(methods["ar"]["tokens_per_pass"], 1);
  EXPECT_TRUE(methods["pld 10"]["tree_share"].is_null());
  int calibrated = 0;
  for (const auto& [name, row] : methods.items()) {
    EXPECT_EQ(row["speed_up"].size(), 2u) << name;
    if (row["tree_share"].is_null()) continue;
    EXPECT_NEAR(row["tree_share"].get<double>(), tree_share(records.at(name)), 1e-9) << name;
    expect_credited(row["rows"], records.at(name));
    if (name.starts_with("ngrammys ") && name != "ngrammys (10, 10)") ++calibrated;
  }
  EXPECT_EQ(calibrated, 1);
  const Outcome counted = shell.run(
      "\"$source/scripts/compare_ngrammys\" $tiny words.jsonl --runtime \"$runtime\" --calibrate "
      "\"$calibrate\" --out counted --artifacts tiny.h5 -n 50 --acceptance-only -t 0.7 --threads "
      "1");
  ASSERT_EQ(counted.status, 0) << counted.err;
  const Json by_replay = Json::parse(shell.read("counted/figures.json"))["tables"][0]["methods"];
  for (const auto& [name, row] : methods.items()) {
    for (const char* same : {"tokens_per_pass", "tree_share", "rows"})
      EXPECT_EQ(by_replay[name][same], row[same]) << name << " " << same;
  }
  EXPECT_LT(methods["bigram (10, 10)"]["tree_share"], 0.95);  // ten rows share the last token
  EXPECT_EQ(records.at("bigram (10, 10)")[0]["settings"]["draft_length"], 10);
}

TEST(CompareNgrammys, NamesMistakes) {
  const Shell shell;
  const std::string script = "\"$source/scripts/compare_ngrammys\" $tiny --runtime \"$runtime\" ";
  shell.write("words.jsonl", "{\"turns\": [\"abc\"]}\n");
  const Outcome bare = shell.run(script + "words.jsonl --out made");
  EXPECT_EQ(bare.status, 2);
  EXPECT_NE(bare.err.find("calibrate ngrammys"), std::string::npos) << bare.err;
  EXPECT_EQ(shell.run(script + "words.jsonl --threads -1 --out made").status, 2);
}

}  // namespace
}  // namespace outrider::test
