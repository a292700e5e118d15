// What processes with --shard say of each other, and `calibrate merge`.

#include <gtest/gtest.h>
#include <stdlib.h>

#include "calibrate/commands/commands.h"
#include "tests/calibrate/shared_study.h"

namespace outrider::calibrate {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::SharedStudy;

TEST_F(SharedStudy, SaysWhichPartsAreNotFinished) {
  const auto layer = [&](std::vector<std::string> flags) {
    return run(add_layer, "layer", std::move(flags));
  };
  const std::string journal = path("tiny.h5") + ".layers.part";
  const auto merge = [&] { return test::run_command(add_merge, {"merge", path("tiny.h5")}); };
  const test::Outcome none = merge();
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("expected work of processes with --shard beside it, files "),
            std::string::npos)
      << none.err;

  const test::Outcome first = layer({"--shard", "2/3"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find(journal + ": part 2 of 3 is done; parts 1 and 3 of 3 are not finished: "
                                     "start them again with --shard I/3, or of a job array "
                                     "--array=0,2; once all are, the same command goes on"),
            std::string::npos)
      << first.out;
  const test::Outcome early = layer({});
  EXPECT_EQ(early.code, 2);
  EXPECT_NE(early.err.find(journal + ": parts 1 and 3 of 3 are not finished: "), std::string::npos)
      << early.err;
  EXPECT_NE(early.err.find("to begin without them, remove its files *-of-3.part"),
            std::string::npos);
  EXPECT_EQ(layer({"--shard", "1/3"}).code, 0);
  const test::Outcome two = merge();
  EXPECT_EQ(two.code, 1);
  EXPECT_NE(two.out.find(journal + ": part 3 of 3 is not finished: start it again with --shard "
                                   "I/3, or of a job array --array=2\n"),
            std::string::npos)
      << two.out;
  EXPECT_FALSE(fs::exists(journal));

  const test::Outcome other = layer({"--shard", "3/4"});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("its work was divided with --shard I/3, now with --shard I/4"),
            std::string::npos)
      << other.err;
  const test::Outcome last = layer({"--shard", "3/3"});
  EXPECT_NE(last.out.find("part 3 of 3 is done; the same command goes on from them"),
            std::string::npos)
      << last.out;
  const test::Outcome all = merge();
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(all.out, journal + ": all 3 parts are finished\n");
}

TEST_F(SharedStudy, GoesOnWithAPartThatStoppedHalfWay) {
  const auto draft = [&](std::vector<std::string> flags) {
    return run(add_ssd, "ssd", std::move(flags));
  };
  EXPECT_EQ(draft({"--shard", "1/2"}).code, 0);
  EXPECT_EQ(draft({"--shard", "2/2", "--minutes", "0.0000001"}).code, 130);
  const std::string part = path("tiny.h5") + ".draft-texts.2-of-2.part";
  EXPECT_EQ(data::read_journal_file(part).entries.size(), 1U) << "its head";
  EXPECT_EQ(draft({"--shard", "2/2"}).code, 0);
  const std::string finished = bytes_of(part);
  // One entry, and a piece of the next one.
  const auto entries = data::read_journal_file(part).entries;
  ASSERT_EQ(entries.size(), 4U);
  fs::resize_file(part, fs::file_size(part) - 4 * (entries[3].size() + 2) - 8);
  fs::remove(path("tiny.h5") + ".draft-texts.part");
  EXPECT_EQ(draft({}).code, 2);
  const test::Outcome again = draft({"--shard", "2/2"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(bytes_of(part), finished);
}

TEST_F(SharedStudy, RefusesPartsOfOtherWork) {
  const auto tree = [&](std::vector<std::string> flags) {
    return run(add_parallelspec, "parallelspec", std::move(flags));
  };
  EXPECT_EQ(tree({"--shard", "1/2"}).code, 0);
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--shard", "2/2", "--limit", "5"}, {"--limit", "5"}}) {
    const test::Outcome other = tree(flags);
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.err.find(path("tiny.h5") +
                             ".eagle-drafts-at-0.1-of-2.part: a part of other work: expected one "
                             "begun with the same traces, models, flags and version"),
              std::string::npos)
        << other.err;
  }
  const std::ofstream empty(path("tiny.h5") + ".layers.1-of-3.part");
  const test::Outcome mixed = test::run_command(add_merge, {"merge", path("tiny.h5")});
  EXPECT_EQ(mixed.code, 2);
  EXPECT_NE(mixed.err.find(" parts; remove the files of one of these"), std::string::npos);
}

TEST_F(SharedStudy, NeedsTextsThatAreThere) {
  const test::Outcome made = test::run_command(
      add_heads,
      {"heads", "-m", path("tiny.gguf"), "--prompts", path("p.jsonl"), "--shard", "1/2"});
  EXPECT_EQ(made.code, 2);
  EXPECT_NE(made.err.find("--shard: only with --data: `data traces --shard` makes the texts"),
            std::string::npos)
      << made.err;
  const test::Outcome no_launcher = run(add_layer, "layer", {"--shard", "auto"});
  EXPECT_EQ(no_launcher.code, 2);
  EXPECT_NE(no_launcher.err.find("--shard auto: expected variables of a launcher"),
            std::string::npos);
}

// A part of an array that is submitted again still means the same share.
TEST_F(SharedStudy, KeepsTheNumberOfPartsOfAnArray) {
  EXPECT_EQ(run(add_layer, "layer", {"--shard", "1/3"}).code, 0);
  ::setenv("SLURM_ARRAY_TASK_ID", "2", 1);
  ::setenv("SLURM_ARRAY_TASK_COUNT", "1", 1);
  const test::Outcome again = run(add_layer, "layer", {"--shard", "auto"});
  ::unsetenv("SLURM_ARRAY_TASK_ID");
  ::unsetenv("SLURM_ARRAY_TASK_COUNT");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("part 3 of 3 is done; part 2 of 3 is not finished"), std::string::npos)
      << again.out;
}

}  // namespace
}  // namespace outrider::calibrate
