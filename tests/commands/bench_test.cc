#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/commands/commands.h"
#include "tests/support/run_command.h"
#include "tests/support/tiny_model_folder.h"

namespace outrider {
namespace {

test::Outcome bench(std::vector<std::string> words) {
  words.insert(words.begin(), "bench");
  return test::run_command(add_bench, std::move(words));
}

using Bench = test::TinyModelFolder;

TEST_F(Bench, WritesWhatItPrintsAsJson) {
  const std::string file = (folder_.path() / "cost.json").string();
  const test::Outcome outcome = bench({"--engine", "-m", model_, "-t", "1", "--rows", "1", "4",
                                       "--contexts", "30", "--rounds", "2", "--json", file});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("GB/s read by 1 threads"), std::string::npos);
  const auto json = nlohmann::json::parse(std::ifstream(file));
  EXPECT_EQ(json["interrupted"], false);
  ASSERT_EQ(json["passes"].size(), 2u);
  EXPECT_EQ(json["passes"][1]["rows"], 4);
  EXPECT_GT(json["passes"][1]["seconds"]["median"].get<double>(), 0);
  const auto& pass = json["passes"][0];
  EXPECT_DOUBLE_EQ(pass["share_of_limit"].get<double>() * pass["seconds"]["median"].get<double>(),
                   pass["limit_seconds"].get<double>());
  EXPECT_GT(pass["bytes"], json["weight_bytes"]);
  EXPECT_NE(outcome.out.find(fmt::format(" {:.1f} ", pass["bytes"].get<double>() / 1e6)),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(json["split"][0]["seconds"].size(), 8u);
  EXPECT_EQ(json["prefill"][0]["tokens"], 512);
}

TEST_F(Bench, RefusesWhatItCannotMeasure) {
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), {"-m", model_});
    const test::Outcome outcome = bench(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
  };
  refused({"--rows", "0"}, "--rows: expected a whole number from 1 to 512, found '0'");
  refused({"--engine", "--contexts", "600"}, "--contexts: expected a whole number from 1 to 512");
  refused({"--engine", "--threads", "two"}, "--threads: expected a whole number");
}

}  // namespace
}  // namespace outrider
