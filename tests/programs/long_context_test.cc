// A model with LongRoPE in texts beyond its original context, from traces to decoding: --ctx is given once, where texts
// are recorded, and once where they are decoded.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

/// Its original context is 128 tokens, and the longest 1,024.
const std::string kLongRope = "-m \"$source/tests/golden/hf/phi3_longrope\"";

class LongContext : public testing::Test {
 protected:
  LongContext() {
    std::string letters;
    for (char letter = '!'; letter <= '~'; ++letter) letters += letter;
    std::string prompts;
    for (const char* name : {"one", "two"})
      prompts += nlohmann::json{{"id", name}, {"turns", {letters + name + letters}}}.dump() + "\n";
    shell.write("prompts.jsonl", prompts);
  }

  Outcome run(const std::string& command) const { return shell.run(command); }
  void succeed(const std::string& command) const {
    const Outcome outcome = run(command);
    ASSERT_EQ(outcome.status, 0) << command << "\n" << outcome.err;
  }

  const Shell shell;
};

TEST_F(LongContext, IsAskedForOnceAndThenKnownFromTheTraces) {
  succeed("\"$data\" traces " + kLongRope + " --prompts prompts.jsonl -o long -n 12 --ctx 300");
  succeed("\"$data\" verify long --recompute 1 " + kLongRope);
  for (const std::string study : {"pair-counts", "heads", "layer", "ngrammys"})
    succeed("\"$calibrate\" " + study + " " + kLongRope + " --data long --artifacts a.h5");
  succeed("\"$calibrate\" cost " + kLongRope +
          " --ctx 300 --rows 1 2 --contexts 200 --rounds 1 --artifacts a.h5");
  succeed("\"$calibrate\" replay " + kLongRope + " --data long --method pld");
  const Outcome decoded = run("\"$runtime\" decode " + kLongRope +
                              " --ctx 300 --prompts prompts.jsonl -n 12 --artifacts a.h5 --method "
                              "pld-plus-h --check --costs stored");
  EXPECT_EQ(decoded.status, 0) << decoded.err;
}

TEST_F(LongContext, IsAnotherModelThanThatOfTheOriginalContext) {
  const std::string ask = " -p 'hello hello hello' -n 20 --costs stored --quiet --method ar";
  const Outcome own = run("\"$runtime\" decode " + kLongRope + ask);
  const Outcome same = run("\"$runtime\" decode " + kLongRope + ask + " --ctx 128");
  const Outcome longer = run("\"$runtime\" decode " + kLongRope + ask + " --ctx 129");
  const Outcome longest = run("\"$runtime\" decode " + kLongRope + ask + " --ctx 1024");
  ASSERT_EQ(longest.status, 0) << longest.err;
  EXPECT_EQ(own.out, same.out);
  EXPECT_NE(own.out, longer.out);
  EXPECT_EQ(longer.out, longest.out);
}

TEST_F(LongContext, MistakesNameTheCure) {
  expect_refusal(run("\"$runtime\" decode " + kLongRope + " --prompts prompts.jsonl"),
                 "expected fewer than the context of 128; shorten it or raise --ctx");
  expect_refusal(run("\"$runtime\" decode " + kLongRope + " -p hi --ctx 1025"),
                 "--ctx: expected at most 1024, the context of ");
  succeed("\"$data\" traces " + kLongRope + " --prompts prompts.jsonl -o long -n 4 --ctx 300");
  expect_refusal(run("\"$calibrate\" layer " + kLongRope + " --data long --ctx 100"),
                 "long: was made with a context of 300, here it is 128: beyond 128 tokens the "
                 "model rotates every token in another way; expected traces and --ctx on the same "
                 "side of that");
}

}  // namespace
}  // namespace outrider::test
