#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "data/commands/commands.h"
#include "data/store/trace_store.h"
#include "runtime/base/text_file.h"
#include "tests/data/random_store.h"
#include "tests/support/run_command.h"

namespace outrider::data {
namespace {

using Json = nlohmann::json;
using test::Outcome;

Outcome inspect(std::vector<std::string> words) {
  words.insert(words.begin(), "inspect");
  return test::run_command(add_inspect, std::move(words));
}

void expect_holds(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << text;
}

std::int64_t sum(const Json& histogram) {
  const std::vector<std::int64_t> counts = histogram["counts"];
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

/// The line of a task in a histogram's table.
std::string shares(const std::string& task, const Json& histogram) {
  std::string line = fmt::format("\n  {:<24}", task);
  for (const double count : histogram["counts"])
    line += fmt::format("{:>6.1f}", 100 * count / static_cast<double>(sum(histogram)));
  return line + "\n";
}

/// Expects the sums over the traces of one task, or of all if it is empty.
void expect_sums(const Json& sums, const std::vector<Trace>& traces, const std::string& task) {
  std::int64_t count = 0, prompt = 0, output = 0, loops = 0;
  std::map<std::string, std::int64_t> finishes = {{"stop", 0}, {"length", 0}, {"context", 0}};
  double entropy = 0, outside = 0;
  for (const Trace& trace : traces) {
    if (!task.empty() && trace.task != task) continue;
    ++count;
    prompt += std::ssize(trace.prompt_tokens);
    output += std::ssize(trace.output_tokens);
    ++finishes[decode::finish_name(trace.finish)];
    for (std::size_t i = 0; i < trace.entropies.size(); ++i) {
      entropy += trace.entropies[i];
      if (trace.in_loop[i] == 0) outside += trace.entropies[i];
      loops += trace.in_loop[i];
    }
  }
  EXPECT_EQ(sums["traces"], count);
  EXPECT_EQ(sums["prompt_tokens"], prompt);
  EXPECT_EQ(sums["output_tokens"], output);
  EXPECT_EQ(sums["loop_tokens"], loops);
  EXPECT_GT(loops, 0);
  EXPECT_EQ(sums["finished"], Json(finishes));
  EXPECT_NEAR(sums["entropy_sum"], entropy, 1e-6 * entropy);
  EXPECT_NEAR(sums["entropy_sum_outside_loops"], outside, 1e-6 * entropy);
  EXPECT_EQ(sum(sums["lengths"]), count);
  EXPECT_EQ(sum(sums["entropies"]), output);
}

TEST(InspectCommand, CountsOverallAndPerTask) {
  const test::RandomStore made;
  const Outcome outcome = inspect({made.path.string(), "--json", "-", "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  expect_sums(json["all"], made.traces, "");
  ASSERT_EQ(json["tasks"].size(), 2u);
  for (const auto& [task, sums] : json["tasks"].items()) expect_sums(sums, made.traces, task);
  EXPECT_EQ(json["conversations"], 40);
  EXPECT_EQ(json["shards"], 4);
  EXPECT_EQ(json["shards_missing"], Json::array());
  EXPECT_EQ(json["content_hash"], content_hash(TraceStore(made.path).manifest()));
  std::uintmax_t bytes = 0;
  for (const int shard : {0, 1, 2, 3})
    bytes += std::filesystem::file_size(made.path / shard_file_name(shard));
  EXPECT_EQ(json["bytes"], bytes);
}

TEST(InspectCommand, PrintsTheSameAsText) {
  const test::RandomStore made;
  const Outcome outcome = inspect({made.path.string(), "--json", made.file("report.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(read_text_file(made.file("report.json"), 1 << 20));
  expect_holds(outcome.out, "4 of 4\n");
  expect_holds(outcome.out, json["content_hash"]);
  expect_holds(outcome.out, "--max-new 40");
  expect_holds(outcome.out, "söm task");
  expect_holds(outcome.out, "entropy of an output token, in nats");
  expect_holds(outcome.out, "/scores/top_log_probs");
  for (const auto& [task, sums] : json["tasks"].items()) {
    expect_holds(outcome.out, shares(task, sums["lengths"]));
    expect_holds(outcome.out, shares(task, sums["entropies"]));
  }
  expect_holds(outcome.out, shares("all", json["all"]["lengths"]));
}

TEST(InspectCommand, ReportsMissingShards) {
  const test::RandomStore made({}, {40, 12, 1, 1}, 2);
  const Outcome outcome = inspect({made.path.string(), "--json", made.file("report.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_holds(outcome.out, "3 of 4, not finished");
  EXPECT_EQ(Json::parse(read_text_file(made.file("report.json"), 1 << 20))["shards_missing"],
            Json({2}));
}

TEST(InspectCommand, RefusesOtherFolders) {
  const test::RandomStore made;
  const auto refuse = [](std::vector<std::string> words, const std::string& message) {
    const Outcome outcome = inspect(std::move(words));
    EXPECT_EQ(outcome.code, 2) << message;
    expect_holds(outcome.err, message);
    EXPECT_EQ(outcome.out, "");
  };
  refuse({}, "DIR is required");
  refuse({made.file("nowhere")}, "No such file or directory");
  refuse({made.folder.path().string()}, "expected a folder of traces, found no manifest in it");
  refuse({made.path.string(), "--jsn", "x"}, "--jsn");
  std::filesystem::resize_file(made.path / shard_file_name(1), 100);
  refuse({made.path.string(), "--quiet"}, "shard-00001.h5: damaged: expected");
}

}  // namespace
}  // namespace outrider::data
