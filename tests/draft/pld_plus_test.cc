#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <tuple>

#include "runtime/draft/copy/pld_plus_a_drafter.h"
#include "runtime/draft/copy/pld_plus_drafter.h"
#include "runtime/draft/copy/pld_plus_h_drafter.h"
#include "tests/support/draft_of.h"
#include "tests/support/fake_observation.h"

namespace outrider::draft {
namespace {

using Tokens = std::vector<Token>;

/// The tokens of a draft, which is a chain.
Tokens chain(const TokenTree& tree) {
  Tokens tokens;
  for (int node = 1; node < tree.size(); ++node) {
    EXPECT_EQ(tree.parent(node), node - 1);
    tokens.push_back(tree.token(node));
  }
  return tokens;
}

/// The rows 0, 1, … of a pass over all of `text` but its last token, which has not been forwarded.
struct PrefillOf {
  engine::Pass pass;
  std::vector<int> rows;

  PrefillOf(const Tokens& text, const Drafter& drafter) {
    pass.add_chain(0, std::span(text).first(text.size() - 1), false);
    for (std::size_t i = 0; i + 1 < text.size(); ++i) rows.push_back(static_cast<int>(i));
    test::observe_by_hand(pass, drafter.traits().wants, 2);
  }
};

/// Only the first and the last row have logits: the last one these, the first their negatives.
void set_logits(PrefillOf& prefill, const std::vector<float>& logits) {
  engine::Pass& pass = prefill.pass;
  pass.rows.front().wants_logits = pass.rows.back().wants_logits = true;
  const std::size_t stride = logits.size() + 3;
  float* const rows = pass.logits.on_host(2, static_cast<int>(logits.size()), stride);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    rows[i] = -logits[i];
    rows[stride + i] = logits[i];
  }
}

/// What PLD+ (h) drafts when position i's state is the direction at `degrees[i]`, and the last row's
/// logits are these.
Tokens by_directions(const PldPlusHOptions& options, const Tokens& text,
                     const std::vector<double>& degrees, int budget = 100,
                     const std::vector<float>& logits = {}) {
  PldPlusH drafter(options);
  EXPECT_EQ(drafter.start(text, 0), 0);
  PrefillOf prefill(text, drafter);
  if (!logits.empty()) set_logits(prefill, logits);
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    const double angle = degrees[i] * std::acos(-1) / 180;
    const float length = static_cast<float>(i + 1);  // which must not matter
    test::set_state(prefill.pass, options.layer, static_cast<int>(i),
                    {length * static_cast<float>(std::cos(angle)),
                     length * static_cast<float>(std::sin(angle))});
  }
  drafter.observe(prefill.pass, {prefill.rows});
  return chain(test::draft_of(drafter, text, budget));
}

TEST(CopySources, AreAllEarlierOccurrencesOfTheLastToken) {
  std::vector<int> sources;
  copy_sources(Tokens{7, 1, 7, 7, 2, 7}, sources);
  EXPECT_EQ(sources, (std::vector<int>{0, 2, 3}));
  copy_sources(Tokens{7}, sources);
  EXPECT_TRUE(sources.empty());
  copy_sources(Tokens{1, 2, 7}, sources);
  EXPECT_TRUE(sources.empty());
}

TEST(PldPlusH, CopiesFromWhereThePredecessorsStateIsTheMostAlike) {
  // 7 at positions 1, 4 and 7 with predecessors at 0, 3, 6; position 9 has its own at 8.
  const Tokens text = {1, 7, 10, 1, 7, 20, 1, 7, 1, 7};
  const std::vector<double> degrees = {50, 0, 0, 12, 0, 0, 30, 0, 10};
  EXPECT_EQ(by_directions({3, 2, -1}, text, degrees), (Tokens{20, 1}));
  // The states of the occurrences themselves do not count.
  EXPECT_EQ(by_directions({3, 2, -1}, text, {50, 10, 0, 80, 0, 0, 12, 0, 10}), (Tokens{1, 7}));
}

TEST(PldPlusH, TakesTheLatestOfEquals) {
  EXPECT_EQ(by_directions({1, 1, -1}, {1, 7, 10, 1, 7, 20, 1, 7}, {5, 0, 0, 5, 0, 0, 5}),
            (Tokens{20}));
}

TEST(PldPlusH, SkipsAnOccurrenceWithoutAPredecessor) {
  EXPECT_EQ(by_directions({1, 1, -1}, {7, 10, 1, 7, 20, 1, 7}, {5, 0, 90, 0, 0, 5}), (Tokens{20}));
  EXPECT_EQ(by_directions({1, 1, -1}, {7, 1, 7}, {5, 5}), Tokens{});
}

TEST(PldPlusH, StopsAtTheLastTokenAtItsLengthAndAtTheBudget) {
  const Tokens text = {1, 7, 10, 20, 7};
  const std::vector<double> degrees = {0, 0, 0, 0};
  EXPECT_EQ(by_directions({1, 9, -1}, text, degrees), (Tokens{10, 20, 7}));
  EXPECT_EQ(by_directions({1, 2, -1}, text, degrees), (Tokens{10, 20}));
  EXPECT_EQ(by_directions({1, 9, -1}, text, degrees, 1), (Tokens{10}));
}

TEST(PldPlusH, DraftsNothingBelowTheThreshold) {
  const Tokens text = {1, 7, 10, 1, 7};
  EXPECT_EQ(by_directions({1, 1, 0.49}, text, {60, 0, 0, 0}), (Tokens{10}));
  EXPECT_EQ(by_directions({1, 1, 0.51}, text, {60, 0, 0, 0}), Tokens{});
  EXPECT_EQ(by_directions({1, 1, -1}, text, {180, 0, 0, 0}), (Tokens{10}));
}

TEST(PldPlusH, LogitsTurnWhatCosinesSayAsFarAsTheyWeigh) {
  // 7 at positions 1 and 4, with predecessors 10 and 5 degrees from that of the last one.
  const Tokens text = {1, 7, 3, 1, 7, 2, 1, 7};
  const std::vector<double> degrees = {10, 0, 0, 5, 0, 0, 0};
  const std::vector<float> logits = {9, 9, -1, 1, 9, 9, 9, 9};  // of 2 and of 3
  const auto drafted = [&](double weight, const std::vector<double>& states) {
    return by_directions({.layer = 1, .draft_length = 2, .logit_weight = weight}, text, states, 100,
                         logits);
  };
  EXPECT_EQ(drafted(0, degrees), (Tokens{2, 1}));
  EXPECT_EQ(drafted(0.005, degrees), (Tokens{2, 1}));  // 0.010 are less than 0.996 - 0.985
  EXPECT_EQ(drafted(0.006, degrees), (Tokens{3, 1}));
  EXPECT_EQ(drafted(0, {5, 0, 0, 5, 0, 0, 0}), (Tokens{2, 1}));  // the latest of equals
  EXPECT_EQ(drafted(1e-4, {5, 0, 0, 5, 0, 0, 0}), (Tokens{3, 1}));
}

TEST(PldPlusH, TakesTheLatestOfSourcesWithEqualLogits) {
  EXPECT_EQ(by_directions({.layer = 1, .draft_length = 2, .logit_weight = 0.5},
                          {1, 7, 3, 4, 1, 7, 3, 5, 1, 7}, {5, 0, 0, 0, 5, 0, 0, 0, 5}, 100,
                          {0, 0, 0, 4, 0, 0, 0, 0}),
            (Tokens{3, 5}));
}

TEST(PldPlusH, TheThresholdIsOfTheCosineWhateverTheLogits) {
  const auto drafted = [](double threshold, double weight, float logit) {
    return by_directions(
        {.layer = 1, .draft_length = 1, .threshold = threshold, .logit_weight = weight},
        {1, 7, 3, 1, 7}, {60, 0, 0, 0}, 100, {0, 0, 0, logit, 0, 0, 0, 0});
  };
  EXPECT_EQ(drafted(0.49, 1, 9), (Tokens{3}));
  EXPECT_EQ(drafted(0.49, 1, -9), (Tokens{3}));
  EXPECT_EQ(drafted(0.51, 1, 9), Tokens{});
  // The chosen source has to reach it.
  const Tokens text = {1, 7, 3, 1, 7, 2, 1, 7};
  for (const float logit : {0.0F, 1.0F})
    EXPECT_EQ(by_directions({.layer = 1, .draft_length = 1, .threshold = 0.75, .logit_weight = 1},
                            text, {60, 0, 0, 5, 0, 0, 0}, 100, {0, 0, 0, logit, 0, 0, 0, 0}),
              logit > 0 ? Tokens{} : Tokens{2});
}

TEST(PldPlusH, LogitsAreThoseOfTheLastPass) {
  const Tokens text = {1, 7, 3, 1, 7, 2, 1, 7};
  PldPlusH drafter({.layer = 1, .draft_length = 1, .logit_weight = 1});
  const auto observe = [&](std::span<const Token> more, const std::vector<float>& logits) {
    Tokens rows(more.begin(), more.end());
    rows.push_back(0);
    PrefillOf pass(rows, drafter);
    for (int i = 0; i < static_cast<int>(more.size()); ++i)
      test::set_state(pass.pass, 1, i, {1, 0});
    set_logits(pass, logits);
    drafter.observe(pass.pass, {pass.rows});
    return pass;
  };
  drafter.start(text, 0);
  const auto first = observe(std::span(text).first(5), {0, 0, 5, 0, 0, 0, 0, 0});
  auto second = observe(std::span(text).subspan(5, 2), {0, 0, 1, 2, 0, 0, 0, 0});
  EXPECT_EQ(chain(test::draft_of(drafter, text, 100)), Tokens{3});
  // They are kept beyond the pass.
  set_logits(second, {0, 0, 3, 2, 0, 0, 0, 0});
  EXPECT_EQ(chain(test::draft_of(drafter, text, 100)), Tokens{3});
}

TEST(AddLogits, RefusesARowWithoutThem) {
  std::vector<RankedSource> scored = {{0, 1}};
  EXPECT_THROW(add_logits({Tokens{7, 3, 7}}, {}, 1, scored), std::logic_error);
}

TEST(AddLogits, AddsTheNoiseOfThePositionAtATemperature) {
  const Tokens text = {7, 3, 7, 2, 7};
  const std::vector<float> logits = {0, 0, 1, 1.5F, 0, 0, 0, 0};
  const sampling::SamplerOptions options = {.temperature = 0.5};
  const sampling::TokenCounts counts{{}};
  int second = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<RankedSource> scored = {{0, 0.5F}, {2, 0.5F}};
    add_logits({text, {options, seed, counts}}, logits, 0.2, scored);
    const GumbelNoise noise(seed, 5);
    EXPECT_NEAR(scored[0].bonus, 0.2 * (1.5 + 0.5 * noise.value(3)), 1e-6);
    EXPECT_NEAR(scored[1].bonus, 0.2 * (1 + 0.5 * noise.value(2)), 1e-6);
    std::vector<RankedSource> best;
    best_sources(text, scored, 1, best);
    second += best[0].position == 2;
  }
  EXPECT_GT(second, 5);
  EXPECT_LT(second, 25);
}

TEST(PldPlusH, RemembersWhatALaterTextBeginsWith) {
  PldPlusH drafter({1, 1, -1});
  const Tokens text = {1, 7, 10, 1, 7};
  PrefillOf prefill(text, drafter);
  drafter.start(text, 0);
  drafter.observe(prefill.pass, {prefill.rows});
  EXPECT_EQ(drafter.start(Tokens{1, 7, 10, 1, 7, 3}, 5), 4);
  EXPECT_EQ(drafter.start(Tokens{1, 7, 10, 1, 7, 3}, 3), 3);
  EXPECT_EQ(drafter.start(Tokens{1, 7, 11, 1, 7, 3}, 5), 2);
  EXPECT_EQ(drafter.start(Tokens{1, 7, 10, 1, 7, 3}, 5), 2);
}

TEST(StateRanking, AgreesWithASlowCosineOfManyNumbers) {
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal;
  const std::size_t width = 83;  // no multiple of sixteen
  StateRanking ranking;
  std::vector<std::vector<float>> states;
  std::vector<int> sources;
  for (int i = 0; i < 60; ++i) {
    std::vector<float>& state = states.emplace_back();
    for (std::size_t k = 0; k < width; ++k) state.push_back(normal(random));
    ranking.add(state);
    if (i > 0) sources.push_back(i);
  }
  const auto cosine = [&](std::size_t a, std::size_t b) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t k = 0; k < width; ++k) {
      ab += static_cast<double>(states[a][k]) * static_cast<double>(states[b][k]);
      aa += static_cast<double>(states[a][k]) * static_cast<double>(states[a][k]);
      bb += static_cast<double>(states[b][k]) * static_cast<double>(states[b][k]);
    }
    return ab / std::sqrt(aa * bb);
  };
  for (int t = 2; t <= 60; ++t) {
    const std::span<const int> before(sources.data(), static_cast<std::size_t>(t - 1));
    int expected = 1;
    for (const int j : before) {
      const auto at = [&](int i) {
        return cosine(static_cast<std::size_t>(i - 1), static_cast<std::size_t>(t - 1));
      };
      if (at(j) >= at(expected)) expected = j;
    }
    std::vector<RankedSource> scored;
    ranking.score(before, t, scored);
    ASSERT_EQ(scored.size(), before.size());
    const auto found = std::max_element(scored.begin(), scored.end(),
                                        [](auto& a, auto& b) { return a.score < b.score; });
    EXPECT_EQ(found->position, expected);
    EXPECT_NEAR(static_cast<double>(found->score),
                cosine(static_cast<std::size_t>(expected - 1), static_cast<std::size_t>(t - 1)),
                1e-5);
  }
}

/// Has the last row attend so, head by head; the others say something else.
void attend(PrefillOf& prefill, const Drafter& drafter,
            const std::vector<std::vector<float>>& attention) {
  const int last = prefill.rows.back();
  const auto of_heads = [last, attention](const engine::Observation& observed, int row,
                                          std::span<const engine::Head> heads,
                                          std::span<const int> positions, float* out) {
    for (const engine::Head& head : heads)
      for (const int i : positions)
        *out++ =
            observed.position(row) == last  // a copy of the row has another number
                ? attention.at(static_cast<std::size_t>(head.head)).at(static_cast<std::size_t>(i))
                : 1.0F;
  };
  test::observe_by_hand(prefill.pass, drafter.traits().wants, 2, 0, of_heads);
}

/// What PLD+ (a) drafts when the last row attends so, head by head.
Tokens by_attention(const Tokens& text, const std::vector<std::vector<float>>& attention,
                    Aggregation aggregation, int length = 1) {
  PldPlusAOptions options;
  for (int head = 0; head < static_cast<int>(attention.size()); ++head)
    options.heads.push_back({1, head});
  options.aggregation = aggregation;
  options.draft_length = length;
  PldPlusA drafter(options);
  drafter.start(text, 0);
  PrefillOf prefill(text, drafter);
  attend(prefill, drafter, attention);
  drafter.observe(prefill.pass, {prefill.rows});
  return chain(test::draft_of(drafter, text, 100));
}

TEST(PldPlusA, CopiesFromWhereAHeadOfTheLastRowAttendsMost) {
  const Tokens text = {7, 10, 7, 20, 1, 7};
  EXPECT_EQ(by_attention(text, {{.1f, .6f, .3f, 0, 0}}, Aggregation::kMax), (Tokens{20}));
  EXPECT_EQ(by_attention(text, {{.2f, .6f, .1f, 0, 0}}, Aggregation::kMax), (Tokens{10}));
  EXPECT_EQ(by_attention(text, {{.2f, .6f, .1f, 0, 0}}, Aggregation::kMax, 9),
            (Tokens{10, 7, 20, 1, 7}));
}

TEST(PldPlusA, TakesTheLargestOrTheSumOfItsHeads) {
  const Tokens text = {7, 10, 7, 20, 1, 7};
  const std::vector<std::vector<float>> heads = {
      {.5f, 0, .3f, 0, 0}, {.1f, 0, .4f, 0, 0}, {0, 0, .2f, .8f, 0}};
  EXPECT_EQ(by_attention(text, heads, Aggregation::kMax), (Tokens{10}));
  EXPECT_EQ(by_attention(text, heads, Aggregation::kSum), (Tokens{20}));
}

TEST(PldPlusA, BranchesWhereItsSourcesDisagree) {
  //                   0   1  2   3   4  5   6  7   8  9
  const Tokens text = {7, 10, 7, 20, 21, 7, 20, 7, 30, 7};
  PldPlusA drafter({.heads = {{1, 0}}, .draft_length = 2, .branches = 3});
  drafter.start(text, 0);
  PrefillOf prefill(text, drafter);
  attend(prefill, drafter, {{.1F, 0, .3F, 0, 0, .2F, 0, .05F, 0}});
  drafter.observe(prefill.pass, {prefill.rows});
  TokenTree tree = test::draft_of(drafter, text, 100);
  // The best first; the other one that continues with 20 is left out.
  EXPECT_EQ(tree.num_drafted(), 6);
  int node = tree.first_child(0);
  for (const auto& [first, second, from] : {std::tuple{20, 21, 3}, {10, 7, 1}, {30, 7, 8}}) {
    ASSERT_NE(node, TokenTree::kNone);
    EXPECT_EQ(tree.token(node), first);
    EXPECT_NE(tree.child(node, second), TokenTree::kNone);
    EXPECT_EQ(tree.origin(node).position, from);
    EXPECT_EQ(tree.origin(tree.child(node, second)).position, from + 1);
    node = tree.next_sibling(node);
  }
  EXPECT_EQ(tree.origin(0).position, Origin::kNone);
  // The budget ends the second branch.
  tree = test::draft_of(drafter, text, 3);
  EXPECT_EQ(tree.num_drafted(), 3);
  EXPECT_EQ(tree.child(tree.child(0, 10), 7), TokenTree::kNone);
}

TEST(PldPlusA, TakesTheLatestOfEqualsAndDraftsNothingWithoutASource) {
  EXPECT_EQ(by_attention({7, 10, 7, 20, 1, 7}, {{.2f, 0, .2f, 0, 0}}, Aggregation::kMax),
            (Tokens{20}));
  EXPECT_EQ(by_attention({1, 2, 7}, {{.2f, .8f}}, Aggregation::kMax), Tokens{});
}

}  // namespace
}  // namespace outrider::draft
