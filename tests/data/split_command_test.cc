#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "data/commands/commands.h"
#include "runtime/base/text_file.h"
#include "tests/data/random_store.h"
#include "tests/support/run_command.h"

namespace outrider::data {
namespace {

using Json = nlohmann::json;
using test::Outcome;

constexpr const char* kNames[] = {"train", "validation", "test"};

Outcome split(std::vector<std::string> words) {
  words.insert(words.begin(), "split");
  return test::run_command(add_split, std::move(words));
}

Json split_of(const test::RandomStore& store, std::vector<std::string> flags) {
  flags.insert(flags.end(), {store.path.string(), "--out", "-", "--quiet"});
  const Outcome outcome = split(std::move(flags));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

/// The subset of every prompt.
std::map<std::string, std::string> subsets(const Json& json) {
  std::map<std::string, std::string> subsets;
  for (const char* name : kNames)
    for (const std::string id : json[name])
      EXPECT_TRUE(subsets.emplace(id, name).second) << id << " is in two subsets";
  return subsets;
}

const std::vector<std::string> kThirds = {"--validation", "0.3", "--test", "0.3"};

TEST(SplitCommand, AssignsEveryPromptToOneSubset) {
  const test::RandomStore made({}, {400, 50, 1, 1});
  std::set<std::string> ids, found;
  for (const Trace& trace : made.traces) ids.insert(trace.id);
  const Json json = split_of(made, kThirds);
  for (const auto& [id, subset] : subsets(json)) found.insert(id);
  EXPECT_EQ(found, ids);
  EXPECT_EQ(json["seed"], 1);
  EXPECT_EQ(json["validation_share"], 0.3);
  // Of about 200 prompts 60 are expected, with a standard deviation of 6.5; the bound is five of them.
  for (const char* name : {"validation", "test"})
    EXPECT_NEAR(static_cast<double>(json[name].size()), 0.3 * static_cast<double>(ids.size()), 32);
}

TEST(SplitCommand, KeepsAPromptsSubsetWhenOthersAreAddedAndChangesItWithTheSeed) {
  const test::RandomStore few({}, {100, 16, 1, 1});
  const test::RandomStore many({}, {400, 50, 1, 1});
  const auto before = subsets(split_of(few, kThirds));
  const auto after = subsets(split_of(many, kThirds));
  EXPECT_GT(after.size(), before.size());
  for (const auto& [id, subset] : before) EXPECT_EQ(after.at(id), subset) << id;
  EXPECT_EQ(subsets(split_of(few, kThirds)), before);
  EXPECT_NE(subsets(split_of(few, {"--validation", "0.3", "--test", "0.3", "--seed", "2"})),
            before);
}

TEST(SplitCommand, PrintsCountsAndWritesAFile) {
  const test::RandomStore made;
  const Outcome outcome = split({made.path.string(), "--test", "0", "--validation", "0", "--out",
                                 made.file("split.json"), "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::int64_t tokens = 0;
  std::set<std::string> ids;
  for (const Trace& trace : made.traces) {
    tokens += std::ssize(trace.output_tokens);
    ids.insert(trace.id);
  }
  EXPECT_EQ(outcome.out,
            fmt::format("{:<10} {:>8} prompts {:>8} traces {:>10} output tokens\n", "train",
                        ids.size(), made.traces.size(), tokens) +
                "validation        0 prompts        0 traces          0 output tokens\n"
                "test              0 prompts        0 traces          0 output tokens\n");
  const Json json = Json::parse(read_text_file(made.file("split.json"), 1 << 20));
  EXPECT_EQ(subsets(json).size(), ids.size());
}

TEST(SplitCommand, WarnsOfAnUnfinishedStore) {
  const test::RandomStore made({}, {40, 12, 1, 1}, 2);
  const Outcome outcome = split({made.path.string(), "--quiet"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("1 of 4 shards are missing, the first is 2"), std::string::npos)
      << outcome.err;
}

TEST(SplitCommand, RefusesContradictoryFlags) {
  const test::RandomStore made;
  const auto refuse = [&](std::vector<std::string> words, const std::string& message) {
    const Outcome outcome = split(std::move(words));
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  };
  const std::string store = made.path.string();
  refuse({}, "DIR is required");
  refuse({store, "--validation", "0.6", "--test", "0.5"},
         "--validation and --test: expected a sum below 1, found 1.1");
  refuse({store, "--test", "1.5"}, "--test");
  refuse({store, "--validation", "-0.1"}, "--validation");
  refuse({store, "--seed", "x"}, "--seed");
  refuse({made.folder.path().string()}, "found no manifest in it");
  refuse({store, "--out", made.file("no/folder.json"), "--quiet"}, "No such file");
}

}  // namespace
}  // namespace outrider::data
