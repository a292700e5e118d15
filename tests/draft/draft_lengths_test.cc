#include "runtime/draft/copy/draft_lengths.h"

#include <gtest/gtest.h>

#include "runtime/draft/copy/pld_plus_a_drafter.h"
#include "tests/support/draft_of.h"
#include "tests/support/fake_observation.h"

namespace outrider::draft {
namespace {

using Tokens = std::vector<Token>;
using Lengths = std::vector<int>;

/// Two classes of scores, three of matches; drafts of at most three tokens.
draft::PldPlusLengths some_lengths() {
  draft::PldPlusLengths known;
  known.score_bounds = {0.5F};
  known.match_bounds = {2, 4};
  known.sources = {100, 100, 100, 100, 19, 20};
  known.accepted = {
      90, 80, 10,  // two tokens are nearly always right
      0,  0,  0,   //
      99, 98, 97,  //
      30, 30, 30,  // the first decides
      19, 19, 19,  //
      1,  0,  0,
  };
  known.seconds = {1, 1.2, 1.4, 1.6};
  return known;
}

TEST(DraftLengths, AreThoseWithTheMostTokensPerSecond) {
  const draft::PldPlusLengths known = some_lengths();
  // By hand, of the first class: 1, 1.9 / 1.2, 2.7 / 1.4, 2.8 / 1.6. The last but one is too rare.
  EXPECT_EQ(DraftLengths(known, known.seconds, 7).by_class(), (Lengths{2, 0, 3, 3, 7, 0}));
  const std::vector<double> expensive = {1, 2, 3, 4};
  EXPECT_EQ(DraftLengths(known, expensive, 7).by_class(), (Lengths{0, 0, 0, 0, 7, 0}));
  // The second row is expensive, those after it cost nothing.
  const std::vector<double> in_steps = {1, 1.95, 1.95, 1.95};
  EXPECT_EQ(DraftLengths(known, in_steps, 7).by_class(), (Lengths{3, 0, 3, 0, 7, 0}));
  // The shortest of equals.
  const std::vector<double> free = {1, 1, 1, 1};
  EXPECT_EQ(DraftLengths(known, free, 7).by_class(), (Lengths{3, 0, 3, 3, 7, 1}));
}

TEST(DraftLengths, AreZeroBelowTheLeastSpeedUp) {
  const draft::PldPlusLengths known = some_lengths();
  // The fastest of the classes: 2.7 / 1.4, 3.94 / 1.6 and 1.9 / 1.6 times as fast as no draft.
  EXPECT_EQ(DraftLengths(known, known.seconds, 7, 1.1).by_class(), (Lengths{2, 0, 3, 3, 0, 0}));
  EXPECT_EQ(DraftLengths(known, known.seconds, 7, 1.9).by_class(), (Lengths{2, 0, 3, 0, 0, 0}));
  EXPECT_EQ(DraftLengths(known, known.seconds, 7, 2).by_class(), (Lengths{0, 0, 3, 0, 0, 0}));
}

TEST(DraftLengths, AreShorterAfterTextsThatMakeRowsExpensive) {
  draft::PldPlusLengths known = some_lengths();
  known.score_bounds = {};
  known.match_bounds = {};
  known.sources = {100};
  known.accepted = {90, 80, 10};
  const std::vector<LengthCosts> costs = {
      {0, {1, 1, 1, 1}}, {5, {1, 1.2, 1.4, 1.6}}, {10, {1, 1.4, 2.4, 3}}};
  const DraftLengths lengths(known, costs, 7);
  const auto after = [&](std::size_t tokens) {
    return lengths.choose(Tokens(tokens, 3), {.position = 0, .score = 1});
  };
  EXPECT_EQ(after(2), 3);
  EXPECT_EQ(after(4), 3);
  EXPECT_EQ(after(5), 2);
  EXPECT_EQ(after(9), 2);
  EXPECT_EQ(after(10), 1);
  EXPECT_EQ(after(99), 1);
}

TEST(DraftLengths, DependOnTheScoreAndOnTheTokensThatMatch) {
  draft::PldPlusLengths known = some_lengths();
  known.sources.assign(6, 0);
  for (int i = 0; i < 6; ++i) {
    SCOPED_TRACE(i);
    known.sources.assign(6, 0);
    known.sources[static_cast<std::size_t>(i)] = 20;
    const DraftLengths lengths(known, known.seconds, 9);
    //                   0  1  2  3  4  5  6  7  8  9
    const Tokens text = {8, 7, 1, 2, 3, 8, 7, 1, 2, 3};
    const auto is_of_class = [&](int position, float score, std::size_t size) {
      // A bonus for choosing the source does not count for its length.
      return lengths.choose(std::span(text).first(size), {position, score, 0.3F}) != 9;
    };
    EXPECT_EQ(is_of_class(0, 0.4F, 6), i == 0);  // one token before it, and no more text
    EXPECT_EQ(is_of_class(1, 0.4F, 7), i == 1);
    EXPECT_EQ(is_of_class(2, 0.4F, 8), i == 1);
    EXPECT_EQ(is_of_class(3, 0.4F, 9), i == 2);
    EXPECT_EQ(is_of_class(4, 0.499F, 10), i == 2);
    EXPECT_EQ(is_of_class(4, 0.5F, 10), i == 5);
    EXPECT_EQ(is_of_class(0, 1.0F, 6), i == 3);
  }
}

TEST(MatchingTokens, EndAtTheFirstThatDiffersAndAtTheTextsBeginning) {
  const Tokens text = {1, 2, 3, 9, 2, 3};
  EXPECT_EQ(matching_tokens(text, 2, 10), 2);
  EXPECT_EQ(matching_tokens(text, 2, 1), 1);
  EXPECT_EQ(matching_tokens(Tokens{2, 3, 9, 2, 3}, 1, 10), 2);
  // They may overlap with the end itself.
  EXPECT_EQ(matching_tokens(Tokens{4, 4, 4, 4}, 2, 10), 3);
}

TEST(PldPlus, DraftsAreAsLongAsTheBestSourceOfTheStepAllows) {
  const draft::PldPlusLengths known = some_lengths();
  const auto lengths = std::make_shared<DraftLengths>(known, known.seconds, 7);
  PldPlusA drafter({.heads = {{1, 0}}, .draft_length = 1, .branches = 2, .lengths = lengths});
  //                   0   1   2   3   4  5   6   7   8  9
  const Tokens text = {7, 10, 11, 12, 13, 7, 20, 21, 22, 7};
  const auto drafted = [&](float first, float second) {
    engine::Pass pass;
    pass.add_chain(0, std::span(text).subspan(8, 1), false);
    test::observe_by_hand(
        pass, drafter.traits().wants, 1, 8,
        [=](const engine::Observation&, int, std::span<const engine::Head>,
            std::span<const int> positions, float* attention) {
          EXPECT_EQ(std::vector(positions.begin(), positions.end()), (std::vector{0, 5}));
          attention[0] = first;
          attention[1] = second;
        });
    const std::vector<int> rows = {0};
    drafter.observe(pass, {rows});
    return test::draft_of(drafter, text, 100).num_drafted();
  };
  // One token matches: two for low scores and three for high ones, of both branches.
  EXPECT_EQ(drafted(0.4F, 0.3F), 4);
  EXPECT_EQ(drafted(0.2F, 0.6F), 6);
  const std::vector<double> expensive = {1, 2, 3, 4};
  drafter = PldPlusA({.heads = {{1, 0}},
                      .draft_length = 1,
                      .lengths = std::make_shared<DraftLengths>(known, expensive, 7)});
  EXPECT_EQ(drafted(0.4F, 0.3F), 0);
}

}  // namespace
}  // namespace outrider::draft
