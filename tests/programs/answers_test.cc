// Stores made again of their answers' ids and the prompts.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/traces.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

class Answers : public Traces {
 protected:
  /// Exports the answers of a store to a.h5. @return what was said
  std::string write_answers(const std::string& store) const {
    const Outcome outcome =
        shell_.run("\"$data\" export " + store + " --to answers --quiet --out a.h5");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.err;
  }
  /// Expects two stores to have the same files, but for dates.
  void expect_equal_stores(const std::string& a, const std::string& b) const {
    const Outcome same = shell_.run("for file in " + a + "/*.h5; do cmp $file " + b +
                                    "/$(basename $file) || exit 1; done; ls " + a +
                                    "/*.h5 | wc -l; ls " + b + "/*.h5 | wc -l");
    EXPECT_EQ(same.status, 0) << same.out << same.err;
    EXPECT_EQ(same.out.substr(0, 1), same.out.substr(2, 1)) << same.out;
  }
};

TEST_F(Answers, MakeTheSameFilesAgain) {
  const std::string states = " --store features --layers 1 final";
  for (const auto& [settings, stored] : std::vector<std::pair<std::string, std::string>>{
           {"-n 12", ""},
           {"-n 9 --samples 8 --temperature 0 0.8 --top-p 0.9 --repetition-penalty 1.1 --seed 5",
            states},
           {"-n 9 --turns first --system short --logit-bias 70=2.5", " --keep-top 0"},
           {"-n 1 --logit-bias 2=1000",
            ""},  // an end token that is also the last that there may be
           {"-n 9 --numerics f32 --kv f16", states},
           {"-n 9 --chat chatml --kv q8_0", ""},
           {"-n 4 --teacher reference", ""}}) {
    SCOPED_TRACE(settings);
    make(settings + stored + " -o t");
    EXPECT_EQ(write_answers("t"), "");
    make("--answers a.h5 -o u -t 1" + stored);
    expect_equal_stores("t", "u");
    shell_.run("rm -r t u a.h5");
  }
}

TEST_F(Answers, OfConversationsThatFillTheContextAreTheSameTraces) {
  make("-n 60 -c 60 --system '' -o t");
  write_answers("t");
  make("--answers a.h5 -o u");
  EXPECT_NE(exported("t").find("\"finish\":\"context\""), std::string::npos);
  const auto traces_of = [&](const std::string& store) {
    return shell_
        .run("\"$data\" export " + store +
             " --to jsonl --scores --out x.jsonl && sed 's/\"prompts\":\"[^\"]*\"//' x.jsonl")
        .out;
  };
  EXPECT_EQ(traces_of("t"), traces_of("u"));
}

TEST_F(Answers, ContinueAStoreThatWasBegunByDecoding) {
  const std::string settings = "-n 6 --samples 8 --temperature 0.9";
  make(settings + " -o t");
  write_answers("t");
  make(settings + " -o u --shard 1/2");
  make("--answers a.h5 -o u --shard 2/2");
  shell_.run("\"$data\" merge u");
  expect_equal_stores("t", "u");
  const std::string second = "--answers a.h5 -o v --shard 2/2 --quiet --json -";
  EXPECT_EQ(Json::parse(traces(second).out)["shards_written"], 1);
  const Json again = Json::parse(traces(second).out);
  EXPECT_EQ(again["shards_before"], 1);
  EXPECT_EQ(again["shards_written"], 0);
}

TEST_F(Answers, OfAnUnfinishedStoreAreThoseOfWholePrompts) {
  make("-n 6 --samples 5 --temperature 0.9 -o t --shard 1/2");  // 16 of 20 conversations
  const std::string said = write_answers("t");
  EXPECT_NE(said.find("1 of 2 shards are missing"), std::string::npos) << said;
  EXPECT_NE(said.find("left out: 1 prompts of which samples are missing"), std::string::npos)
      << said;
  const Outcome made = traces("--answers a.h5 -o u --quiet --json -");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(Json::parse(made.out)["conversations"], 15);
  EXPECT_EQ(shell_.run("\"$data\" verify u --recompute 4 -m $tiny").status, 0);
}

TEST_F(Answers, AreNotGivenToOtherPrompts) {
  make("-n 6 -o t");
  write_answers("t");
  std::string changed = kTracePrompts;
  changed.replace(changed.find("nine"), 4, "none");
  changed.erase(0, changed.find('\n') + 1);
  shell_.write("p.jsonl", changed);
  const Outcome refused = traces("--answers a.h5 -o u");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--prompts: expected those that a.h5 was made of, but 3 of 4 prompts "
                             "are missing or others than those that were answered: a, p line 2, d; "
                             "give these, or --skip-changed"),
            std::string::npos)
      << refused.err;
}

TEST_F(Answers, ToOtherPromptsCanBeLeftOut) {
  make("-n 6 -o t");
  write_answers("t");
  std::string changed = kTracePrompts;
  changed.replace(changed.find("nine"), 4, "none");
  shell_.write("p.jsonl", changed);
  const Outcome made = traces("--answers a.h5 -o u --skip-changed --json summary.json");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.err.find("left out: 1 of 4 prompts are missing or others than those that were "
                          "answered: d\n"),
            std::string::npos)
      << made.err;
  const Json summary = Json::parse(shell_.read("summary.json"));
  EXPECT_EQ(summary["prompts_changed"], 1);
  EXPECT_EQ(summary["conversations"], 3);
  EXPECT_EQ(shell_.run("\"$data\" verify u --recompute 4 -m $tiny").status, 0);
  shell_.write("p.jsonl", "{\"turns\": [\"three\"]}\n");
  expect_refusal(traces("--answers a.h5 -o v --skip-changed"), "but 4 of 4 prompts are missing");
}

TEST_F(Answers, MistakesAreNamed) {
  make("-n 6 -o t");
  write_answers("t");
  const auto refuse = [&](const std::string& arguments, const std::string& message) {
    const Outcome outcome = traces(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << arguments << "\n" << outcome.err;
  };
  refuse("-o u --answers a.h5 --temperature 1", "--temperature: not with --answers");
  refuse("-o u --answers a.h5 --limit 2", "--limit: not with --answers");
  refuse("-o u --skip-changed", "--skip-changed: only with --answers");
  refuse("-o u --answers p.jsonl", "p.jsonl: is not an HDF5 file");
  refuse("-o u --answers t/shard-00000.h5", "shard-00000.h5: expected answers, which begin with a");
  refuse("-o u --answers nowhere.h5", "nowhere.h5");
  shell_.run("cp $tiny other.gguf && printf x >> other.gguf");
  const Outcome other =
      shell_.run("\"$data\" traces -m other.gguf --prompts p.jsonl -o u --answers a.h5");
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("other.gguf: its hash is"), std::string::npos) << other.err;
  EXPECT_NE(shell_.run("ls u").status, 0);
  const Outcome scores = shell_.run("\"$data\" export t --to answers --scores --out b.h5");
  EXPECT_EQ(scores.status, 2);
  EXPECT_NE(scores.err.find("--scores: not with --to answers"), std::string::npos) << scores.err;
}

}  // namespace
}  // namespace outrider::test
