// Counting pairs of tokens, and `calibrate followers`.

#include "runtime/artifacts/followers.h"

#include <gtest/gtest.h>

#include "calibrate/answers/followers_counter.h"
#include "calibrate/commands/commands.h"
#include "tests/calibrate/traced_draft.h"

namespace outrider::calibrate {
namespace {

using Pair = draft::Followers::Pair;

bool operator==(const Pair& a, const Pair& b) {
  return a.before == b.before && a.token == b.token && a.count == b.count;
}

TEST(FollowersCounter, CountsPairsOfAnswersOutsideLoops) {
  FollowersCounter counter(8);
  counter.add({"p", "t", {5, 5, 1, 2, 1, 2, 3}, 2});
  counter.add({"q", "t", {2, 1, 2}, 1});
  EXPECT_EQ(counter.tokens(), 7);
  const draft::Followers all = counter.followers(1);
  EXPECT_EQ(all.occurrences(), (std::vector<std::int32_t>{0, 3, 3, 1, 0, 0, 0, 0}));
  const std::vector<Pair> pairs = all.pairs(), expected = {{1, 2, 3}, {2, 1, 1}, {2, 3, 1}};
  ASSERT_EQ(pairs.size(), expected.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_TRUE(pairs[i] == expected[i]) << i;
  EXPECT_EQ(counter.followers(2).size(), 1U);
  EXPECT_DOUBLE_EQ(counter.share(2), 3 / 5.0);
  EXPECT_EQ(counter.followers(2).occurrences(), all.occurrences());

  FollowersCounter looping(8);
  Answer loop = {"p", "t", {5, 1, 2, 2, 2, 2, 3}, 1};
  loop.in_loop = {0, 0, 1, 1, 1, 0};
  looping.add(loop);
  EXPECT_EQ(looping.tokens(), 3);
  EXPECT_EQ(looping.followers(1).size(), 1U) << "the token after a loop follows none that counts";
}

class FollowersCommandTest : public test::TracedDraft {
 protected:
  void SetUp() override { make({"-n", "24", "--samples", "2", "--temperature", "0", "1"}); }
};

TEST_F(FollowersCommandTest, StoresWhatFollowsWhatInTheTraces) {
  const test::Outcome done = run_on_traces(add_followers, "followers", {"--least-count", "1"});
  ASSERT_EQ(done.code, 0) << done.err;
  const artifacts::ArtifactFile file(path("tiny.h5"));
  const draft::Followers found = artifacts::read_followers(file);
  EXPECT_GT(found.size(), 10U);
  const test::Outcome rare = run_on_traces(add_followers, "followers", {"--least-count", "1000"});
  ASSERT_EQ(rare.code, 0) << rare.err;
  EXPECT_EQ(artifacts::read_followers(artifacts::ArtifactFile(path("tiny.h5"))).size(), 0U);
}

}  // namespace
}  // namespace outrider::calibrate
