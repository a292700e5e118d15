#include <gtest/gtest.h>

#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

TEST(Calibrate, TakesTheShippedPromptsFromAnyFolder) {
  const Shell shell;
  const Outcome made =
      shell.run("\"$calibrate\" heads -m $tiny --samples 1 -n 8 && ls checkpoints/*.h5");
  ASSERT_EQ(made.status, 0) << made.err;
  for (const char* file : {"pld_plus-heads", "trials-pld-plus-a"})
    EXPECT_NE(made.out.find(std::string("\ncheckpoints/tiny.") + file + ".h5\n"), std::string::npos)
        << made.out;
  const Outcome decoded =
      shell.run("\"$runtime\" decode -m $tiny -p hi -n 4 --method pld-plus-a --quiet");
  EXPECT_EQ(decoded.status, 0) << decoded.err;
  const Outcome replayed =
      shell.run("\"$calibrate\" replay -m $endless --method pld --limit 1 -n 4 --quiet");
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  const Outcome grid = shell.run(
      "\"$calibrate\" bench --grid -m $endless --method context-ngram --limit 1 -n 4 --drafts 1 "
      "--draft-length 1");
  EXPECT_EQ(grid.status, 0) << grid.err;
  // A file here goes before the one that came with the programs.
  shell.run("mkdir -p configs/prompts");
  shell.write("configs/prompts/demo.jsonl", "none\n");
  EXPECT_EQ(shell.run("\"$calibrate\" replay -m $endless --method pld --limit 1 -n 4").status, 2);
}

TEST(Calibrate, RunsStudiesByTheNamesThatTheyHadBefore) {
  const Shell shell;
  const std::string all = shell.run("\"$calibrate\" --help").out;
  for (const auto& [before, now] : {std::pair<std::string, std::string>{"draft", "ssd"},
                                    {"graph", "gsd"},
                                    {"tree", "parallelspec"},
                                    {"ngrams", "ngrammys"},
                                    {"followers", "pair-counts"}}) {
    const std::string help = shell.run("\"$calibrate\" " + now + " --help").out;
    EXPECT_NE(help.find("calibrate " + now + " -m"), std::string::npos) << now;
    EXPECT_EQ(shell.run("\"$calibrate\" " + before + " --help").out, help);
    EXPECT_NE(all.find("\n  " + now + " "), std::string::npos) << all;
    EXPECT_EQ(all.find("\n  " + before + " "), std::string::npos) << all;
  }
}

TEST(Calibrate, KeepsHowOftenTokensWereAcceptedWhereDecodingFindsIt) {
  const Shell shell;
  shell.write("p.jsonl", "{\"turns\": [\"aaaaaaaaaaaa\"]}\n");
  const std::string flags =
      " -m $endless --prompts p.jsonl -n 24 --method context-ngram --sources pld --quiet";
  const Outcome counted =
      shell.run("\"$calibrate\" replay" + flags +
                " --acceptance counted/ && ls counted/*.h5 && \"$runtime\" inspect counted/*.h5");
  ASSERT_EQ(counted.status, 0) << counted.err;
  EXPECT_NE(counted.out.find("counted/endless.acceptance-context-ngram.h5\n"), std::string::npos)
      << counted.out;
  EXPECT_NE(counted.out.find("/acceptance/context-ngram"), std::string::npos) << counted.out;
  EXPECT_NE(counted.out.find("calibrate replay"), std::string::npos) << counted.out;
  // Texts stay as they are.
  const auto text = [&] { return shell.run("\"$runtime\" decode" + flags + " --check"); };
  const Outcome without = text();
  EXPECT_EQ(without.status, 0) << without.err;
  shell.run("mkdir -p checkpoints && cp counted/*.h5 checkpoints");
  EXPECT_EQ(text().status, 0);
  const Outcome standard_output = shell.run("\"$calibrate\" replay" + flags + " --acceptance -");
  EXPECT_EQ(standard_output.status, 2);
  EXPECT_NE(standard_output.err.find("--acceptance"), std::string::npos) << standard_output.err;
}

TEST(Calibrate, KeepsTheAnswersThatWereMadeBeforeAnInterrupt) {
  const Shell shell;
  const Outcome broken = shell.run(
      "\"$calibrate\" layer -m $tiny --samples 1000 -n 60 -t 1 & calibrate_id=$!\n"
      "kept=checkpoints/tiny.pld_plus-layer.h5.layer-answers.part\n"
      "for ((i = 0; i < 600; ++i)); do\n"
      "  [ -e $kept ] && [ $(stat -c %s $kept) -gt 20000 ] && break\n"
      "  sleep 0.05\n"
      "done\n"
      "kill -TERM $calibrate_id; wait $calibrate_id");
  EXPECT_EQ(broken.status, 130) << broken.err;
  EXPECT_EQ(shell.run("ls checkpoints").out, "tiny.pld_plus-layer.h5.layer-answers.part\n");
}

TEST(SamplePrompts, AreSpacedEvenlyThroughEachFile) {
  const Shell shell;
  std::string lines;
  for (int i = 0; i < 10; ++i)
    lines += "{\"turns\": [\"" + std::to_string(i) + (i % 2 == 0 ? " even\"]}\n" : "\"]}\n");
  shell.write("a.jsonl", lines);
  shell.write("b.jsonl", "{\"turns\": [\"b\"]}\n");
  const auto turns = [&](const std::string& flags) {
    return shell.run("\"$source/scripts/sample_prompts\" " + flags + " | tr -dc '0-9b '").out;
  };
  EXPECT_EQ(turns("--each 3 a.jsonl b.jsonl"), " 0  3 6  b");
  EXPECT_EQ(turns("--least-words 2 a.jsonl"), " 0  2  4  6  8 ");
}

}  // namespace
}  // namespace outrider::test
