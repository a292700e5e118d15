// Counting pairs of tokens, and `calibrate pair-counts`.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "calibrate/answers/pair_counter.h"
#include "calibrate/answers/stored_answers.h"
#include "calibrate/commands/commands.h"
#include "data/journal/journal_file.h"
#include "runtime/artifacts/pair_counts_group.h"
#include "tests/calibrate/traced_draft.h"

namespace outrider::calibrate {
namespace {

using Pair = draft::PairCounts::Pair;

bool operator==(const Pair& a, const Pair& b) {
  return a.before == b.before && a.token == b.token && a.count == b.count;
}

TEST(PairCounter, CountsPairsOfAnswersOutsideLoops) {
  PairCounter counter(8);
  counter.add({"p", "t", {5, 5, 1, 2, 1, 2, 3}, 2});
  counter.add({"q", "t", {2, 1, 2}, 1});
  EXPECT_EQ(counter.tokens(), 7);
  const draft::PairCounts all = counter.pairs(1);
  EXPECT_EQ(all.occurrences(), (std::vector<std::int32_t>{0, 3, 3, 1, 0, 0, 0, 0}));
  const std::vector<Pair> pairs = all.pairs(), expected = {{1, 2, 3}, {2, 1, 1}, {2, 3, 1}};
  ASSERT_EQ(pairs.size(), expected.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_TRUE(pairs[i] == expected[i]) << i;
  EXPECT_EQ(counter.pairs(2).size(), 1U);
  EXPECT_DOUBLE_EQ(counter.share(2), 3 / 5.0);
  EXPECT_EQ(counter.pairs(2).occurrences(), all.occurrences());

  PairCounter looping(8);
  Answer loop = {"p", "t", {5, 1, 2, 2, 2, 2, 3}, 1};
  loop.in_loop = {0, 0, 1, 1, 1, 0};
  looping.add(loop);
  EXPECT_EQ(looping.tokens(), 3);
  EXPECT_EQ(looping.pairs(1).size(), 1U) << "the token after a loop follows none that counts";
}

TEST(PairCounter, GoesOnFromItsNumbers) {
  PairCounter counter(8), other(8), whole(8);
  const Answer first = {"p", "t", {5, 5, 1, 2, 1, 2, 3}, 2}, second = {"q", "t", {2, 1, 2}, 1};
  counter.add(first);
  other.add(second);
  whole.add(first);
  whole.add(second);
  ASSERT_TRUE(counter.add(other.numbers()));
  EXPECT_EQ(counter.numbers(), whole.numbers());
  EXPECT_EQ(counter.tokens(), 7);
  const std::vector<std::int32_t> bad[] = {
      {}, {1, 2}, {-1}, {1, 8, 1, 1}, {1, 1, -1, 1}, {1, 1, 1, 0}, {1, -2, 1, 1}};
  for (const auto& numbers : bad) EXPECT_FALSE(counter.add(numbers)) << numbers.size();
  EXPECT_EQ(counter.numbers(), whole.numbers());
}

class PairCountsCommandTest : public test::TracedDraft {
 protected:
  void SetUp() override { make({"-n", "24", "--samples", "2", "--temperature", "0", "1"}); }
};

TEST_F(PairCountsCommandTest, StoresWhatFollowsWhatInTheTraces) {
  const test::Outcome done = run_on_traces(add_pair_counts, "pair-counts", {"--least-count", "1"});
  ASSERT_EQ(done.code, 0) << done.err;
  const artifacts::ArtifactFile file(path("tiny.h5"));
  const draft::PairCounts found = artifacts::read_pair_counts(file);
  EXPECT_GT(found.size(), 10U);
  const test::Outcome rare =
      run_on_traces(add_pair_counts, "pair-counts", {"--least-count", "1000"});
  ASSERT_EQ(rare.code, 0) << rare.err;
  EXPECT_EQ(artifacts::read_pair_counts(artifacts::ArtifactFile(path("tiny.h5"))).size(), 0U);
}

class PairCountsOfShards : public test::TracedDraft {
 protected:
  void SetUp() override {
    make({"-n", "8", "--samples", "20", "--temperature", "1"});  // of which 16 are in a file
  }
};

TEST_F(PairCountsOfShards, AreAnnouncedAndGoOnAfterTheMinutes) {
  const std::vector<std::string> words = {"pair-counts",  "-m",           path("tiny.gguf"),
                                          "--data",       path("traces"), "--artifacts",
                                          path("tiny.h5")};
  std::vector<std::string> short_of_time = words;
  short_of_time.insert(short_of_time.end(), {"--minutes", "1e-7"});
  const test::Outcome cut = test::run_command(add_pair_counts, short_of_time);
  EXPECT_EQ(cut.code, 130) << cut.err;
  EXPECT_NE(cut.err.find("calibrate pair-counts: about "), std::string::npos) << cut.err;
  EXPECT_NE(cut.err.find("3 files of traces read, "), std::string::npos) << cut.err;
  EXPECT_NE(cut.err.find("stopped after --minutes 1e-07, which are over: what is done is kept"),
            std::string::npos)
      << cut.err;
  const std::filesystem::path journal = path("tiny.h5.pair_counts.part");
  ASSERT_TRUE(std::filesystem::exists(journal));

  // What a file has is kept, and the file is not read again.
  const data::TraceStore store(path("traces"));
  PairCounter whole(model::load_model(path("tiny.gguf")).config.vocab);
  PairCounter first = whole;
  for_each_stored_answer(store,
                         [&](const Answer& answer, const data::ShardReader& shard, std::size_t) {
                           whole.add(answer);
                           if (shard.shard() == store.shards().front()) first.add(answer);
                         });
  ASSERT_GT(first.tokens(), 0);
  const data::JournalEntry entry = data::framed(first.numbers());
  std::ofstream(journal, std::ios::binary | std::ios::app)
      .write(reinterpret_cast<const char*>(entry.data()),
             static_cast<std::streamsize>(entry.size() * sizeof(std::int32_t)));
  std::filesystem::resize_file(store.path(store.shards().front()), 0);
  const test::Outcome done = test::run_command(add_pair_counts, words);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.err.find("2 files of traces read, "), std::string::npos) << done.err;
  const draft::PairCounts found =
      artifacts::read_pair_counts(artifacts::ArtifactFile(path("tiny.h5")));
  EXPECT_EQ(found.occurrences(), whole.pairs(3).occurrences());
  EXPECT_EQ(found.size(), whole.pairs(3).size());
  EXPECT_FALSE(std::filesystem::exists(journal));
}

}  // namespace
}  // namespace outrider::calibrate
