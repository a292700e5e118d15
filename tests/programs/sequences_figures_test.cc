// scripts/sequences_figures on a tiny model.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

class SequencesFigures : public testing::Test {
 protected:
  Outcome run(const std::string& flags) const {
    shell_.write("p.jsonl",
                 "{\"turns\": [\"one two one two\"]}\n{\"turns\": [\"to be or not to be\"]}\n"
                 "{\"turns\": [\"one two three\"]}\n");
    return shell_.run(
        "\"$source/scripts/sequences_figures\" --runtime \"$runtime\" tiny.gguf p.jsonl -l 2 -n 6 -r 2 "
        "-t 0 --sequences 2 --json figures.json " +
        flags);
  }

  Shell shell_;
};

TEST_F(SequencesFigures, HaveEachRowOfEachRound) {
  const Outcome outcome = run("--row copies \"--method pld\"");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto figures = nlohmann::json::parse(shell_.read("figures.json"));
  EXPECT_EQ(figures["sequences"], 2);
  ASSERT_EQ(figures["tables"].size(), 1u);
  const auto& table = figures["tables"][0];
  EXPECT_EQ(table["texts"], 2);
  ASSERT_EQ(table["rows"].size(), 3u);
  for (const char* name : {"ar", "default", "copies"}) {
    const auto& row = table["rows"][name];
    ASSERT_EQ(row["tokens_per_second"].size(), 2u) << name;
    for (std::size_t round = 0; round < 2; ++round)
      EXPECT_EQ(row["over_ar"][round],
                row["tokens_per_second"][round].get<double>() /
                    table["rows"]["ar"]["tokens_per_second"][round].get<double>());
  }
  EXPECT_EQ(table["rows"]["ar"]["tokens_per_pass"], 1);
  EXPECT_GE(table["rows"]["copies"]["tokens_per_pass"], 1);
}

TEST_F(SequencesFigures, SayWhereTextsDiffer) {
  const Outcome outcome = run("--row other \"--method ar --repetition-penalty 2\"");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("temperature 0: other has other texts than ar"), std::string::npos)
      << outcome.err;
}

TEST_F(SequencesFigures, RefuseWhatCannotBeDecoded) {
  EXPECT_EQ(run("--row other \"--method none\"").status, 2);
  EXPECT_EQ(run("--skip -1").status, 2);
}

}  // namespace
}  // namespace outrider::test
