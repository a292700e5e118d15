// scripts/make_drafters, from a random model and prompts to decoding with what it made.

#include <gtest/gtest.h>

#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

class MakeDrafters : public testing::Test {
 protected:
  void SetUp() override {
    if (!Shell::has_train()) GTEST_SKIP() << "train/ is not built";
  }

  Outcome make(const std::string& arguments) const {
    return shell_.run(
        "set -m; export OUTRIDER_BIN=$(dirname \"$runtime\") OMP_NUM_THREADS=1; "
        "\"$source/scripts/make_drafters\" " +
        arguments);
  }
  /// Kills the script and its program at the beginning of a step.
  static std::string killed_at(const std::string& step) {
    return "2> log & wait_for log '== " + step + "' 1; kill -KILL -- -$!; wait";
  }
  std::string hash_of(const std::string& work) const {
    return shell_.run("\"$train\" inspect " + work + " --json - | jq -r .state_hash").out;
  }

  Shell shell_;
};

TEST_F(MakeDrafters, GoesOnAfterAKillAndRepeatsNothing) {
  const std::string small =
      "-m $tiny -s -t 1 -d draft -d eagle \"$source/configs/prompts/demo.jsonl\" ";
  const Outcome whole = make("-o 'a folder' " + small);
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(whole.err.find("done before"), std::string::npos) << whole.err;
  for (const char* row : {"ssd, temperature 1\t", "parallelspec-eagle, temperature 1\t"})
    EXPECT_NE(whole.out.find(row), std::string::npos) << whole.out;
  const Outcome decoded = shell_.run(
      "\"$runtime\" decode -m $tiny -p hello -n 16 --method ssd --artifacts 'a folder/artifacts' "
      "--check");
  EXPECT_EQ(decoded.status, 0) << decoded.err;

  const Outcome again = make("-o 'a folder' " + small);
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.err.find("=="), std::string::npos) << again.err;
  EXPECT_TRUE(whole.out.ends_with(again.out)) << again.out;

  make("-o b " + small + killed_at("train draft"));
  const Outcome resumed = make("-o b " + small);
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("answers at temperature 1: done before"), std::string::npos)
      << resumed.err;
  EXPECT_NE(resumed.err.find("== calibrate ssd"), std::string::npos) << resumed.err;
  EXPECT_EQ(hash_of("b/draft"), hash_of("'a folder/draft'"));

  shell_.run("touch tiny.gguf");
  make("-o b " + small + killed_at("answers at temperature 0"));
  EXPECT_NE(shell_.read("log").find("== choose prompts"), std::string::npos);
}

TEST_F(MakeDrafters, NamesWhatIsWrong) {
  const auto refusal = [&](const std::string& arguments) {
    const Outcome outcome = make(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    return outcome.err;
  };
  shell_.write("p.jsonl", "{\"id\": \"a\", \"turns\": [\"only one\"]}\n");
  EXPECT_EQ(refusal("-o w p.jsonl"), "make_drafters: expected -m MODEL, found none\n");
  EXPECT_EQ(refusal("-m nothing.gguf -o w p.jsonl"),
            "make_drafters: nothing.gguf: expected a file, found none\n");
  EXPECT_EQ(refusal("-m $tiny -o w"), "make_drafters: expected PROMPTS.jsonl, found none\n");
  EXPECT_NE(refusal("-m $tiny -o w -d hamster p.jsonl").find("; found 'hamster'"),
            std::string::npos);
  EXPECT_NE(refusal("-m $tiny -o w p.jsonl").find("expected prompts, found none; more prompts"),
            std::string::npos);
}

}  // namespace
}  // namespace outrider::test
