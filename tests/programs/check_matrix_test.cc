// scripts/check_matrix on the tiny model.

#include <gtest/gtest.h>

#include <string>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

/// Two methods, 1 and 2 threads: four cells of two texts.
Outcome check_matrix(const Shell& shell, const std::string& flags) {
  shell.write("p.jsonl",
              "{\"turns\": [\"one two one two\"]}\n{\"turns\": [\"to be or not to be\"]}\n");
  return shell.run(
      "\"$source/scripts/check_matrix\" --bin \"$(dirname "
      "\"$runtime\")\" --prompts p.jsonl -n 6 "
      "--methods pld context-ngram --threads 1 2 --chunks 7 --numerics int8 --temperatures 0.8 "
      "--seeds 1 --results cells.jsonl " +
      flags);
}

TEST(CheckMatrix, FindsEveryTextEqualAndGoesOnAfterFinishedCells) {
  const Shell shell;
  const Outcome first = check_matrix(shell, "-m $tiny");
  ASSERT_EQ(first.status, 0) << first.err << first.out;
  EXPECT_NE(first.err.find("4 cells, 0 of them finished before"), std::string::npos) << first.err;
  for (const char* method : {"pld ", "context-ngram "}) {
    const std::size_t line = first.out.find(std::string("\n") + method);
    ASSERT_NE(line, std::string::npos) << first.out;
    const std::string cells = first.out.substr(line + 1, first.out.find('\n', line + 1) - line - 1);
    // Equal, different, refused, to do; texts.
    EXPECT_TRUE(cells.ends_with("     2          0        0      0        4")) << cells;
  }
  const Outcome again = check_matrix(shell, "-m $tiny");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.err.find("4 cells, 4 of them finished before"), std::string::npos) << again.err;
  EXPECT_EQ(again.out, first.out);
}

TEST(CheckMatrix, NamesACellWhoseTextsAreOthers) {
  const Shell shell;
  // With two threads all texts are of the letter a, plain ones too.
  shell.write_wrapper("biased_bin/runtime", "runtime",
                      "[[ \"$*\" = *'-t 2 '* ]] && set -- \"$@\" --logit-bias 100=1000");
  const Outcome outcome = check_matrix(shell, "-m $tiny --bin biased_bin");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("\ndifferent: method pld threads 2 "), std::string::npos)
      << outcome.out;
  EXPECT_EQ(outcome.out.find("\ndifferent: method pld threads 1 "), std::string::npos)
      << outcome.out;
}

TEST(CheckMatrix, TellsARefusedRunAndNamesMistakes) {
  const Shell shell;
  const Outcome refused = check_matrix(shell, "-m $tiny --flags --ctx 4");
  EXPECT_EQ(refused.status, 1) << refused.err;
  EXPECT_NE(refused.out.find("\nrefused: method pld threads 1 "), std::string::npos) << refused.out;
  expect_refusal(check_matrix(shell, "-m absent.gguf"), "check_matrix: absent.gguf: not found");
  expect_refusal(check_matrix(shell, "-m $tiny --seeds one"), "--seeds");
}

}  // namespace
}  // namespace outrider::test
