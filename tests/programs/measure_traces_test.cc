// scripts/measure_traces on the tiny model.

#include <gtest/gtest.h>

#include <string>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

/// The script in a folder like the repository, since it takes model and programs from there.
Outcome measure_traces(const Shell& shell, const std::string& flags) {
  shell.write("p.jsonl", "{\"turns\": [\"one two one two\"]}\n{\"turns\": [\"to be\"]}\n");
  return shell.run(
      "mkdir -p tree/scripts tree/build/release tree/models; "
      "cp \"$source/scripts/measure_traces\" tree/scripts; "
      "[ -e tree/build/release/bin ] || ln -s \"$(dirname \"$runtime\")\" tree/build/release/bin; "
      "ln -sfn ../../tiny.gguf \"tree/models/$(basename \"$real\")\"; "
      "tree/scripts/measure_traces -r 1 -t 1 " +
      flags);
}

TEST(MeasureTraces, ComparesEveryTextAndPrintsARowOfEachLength) {
  const Shell shell;
  const Outcome outcome = measure_traces(shell, "-n '4 8' \"$PWD/p.jsonl\" -- --temperature 0.8");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("every text equals that of ar, token for token."), std::string::npos)
      << outcome.out;
  for (const char* length : {"\n4 ", "\n8 "})
    EXPECT_NE(outcome.out.find(length), std::string::npos) << outcome.out;
}

TEST(MeasureTraces, FailsWhereATextDiffers) {
  const Shell shell;
  // All texts of the traces are of the letter a.
  shell.write_wrapper("tree/build/release/bin/data", "data",
                      "[ $1 = traces ] && set -- \"$@\" --logit-bias 100=1000");
  shell.run("ln -s \"$runtime\" tree/build/release/bin");
  const Outcome outcome = measure_traces(shell, "-n 4 \"$PWD/p.jsonl\"");
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_NE(outcome.err.find("measure_traces: a text differs from that of ar"), std::string::npos)
      << outcome.err;
}

TEST(MeasureTraces, NamesMistakes) {
  const Shell shell;
  expect_refusal(measure_traces(shell, "-z"), "scripts/measure_traces [-r ROUNDS]");
  expect_refusal(measure_traces(shell, "-n 4 absent.jsonl"), "absent.jsonl: expected prompts");
}

}  // namespace
}  // namespace outrider::test
