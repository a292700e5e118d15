// Replaying settings on recorded trees against decoding with them.

#include "calibrate/gsd/gsd_replay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/gsd/gsd_search.h"
#include "calibrate/gsd/redundancy.h"
#include "calibrate/trials/stretches.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/gsd/gsd_drafter.h"
#include "tests/draft/counting_engine.h"
#include "tests/support/shallow_model.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

using sampling::SamplerOptions;

constexpr int kPrompt = 20;
constexpr int kTokens = 90;
constexpr int kRoom = 300;

/// What draft::GsdDrafter did, round by round.
class NotedRounds : public draft::Drafter {
 public:
  explicit NotedRounds(std::unique_ptr<draft::GsdDrafter> inner) : inner_(std::move(inner)) {}

  struct Round {
    std::size_t position;
    int drafted;
    int verified;
    int accepted;
    int copies;
    int later;  // accepted ones that are not the likeliest of their siblings
    bool operator==(const Round&) const = default;
  };
  std::vector<Round> rounds;

  std::string name() const override { return inner_->name(); }
  draft::DrafterReport report(double seconds) const override { return inner_->report(seconds); }
  int begin(const draft::TextStart& text) override { return inner_->start(text); }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    inner_->draft(context, tree);
    rounds.push_back(
        {context.committed.size(), inner_->graph().num_drafted(), tree.num_drafted(), 0, 0, 0});
  }
  void verified(std::span<const int> accepted, Token next) override {
    rounds.back().accepted = static_cast<int>(accepted.size());
    for (const int node : accepted) {
      rounds.back().copies += inner_->unmerging().is_copy(node);
      rounds.back().later += inner_->unmerging().rank_of(node) > 0;
    }
    inner_->verified(accepted, next);
  }

 private:
  std::unique_ptr<draft::GsdDrafter> inner_;
};

class GsdReplayTest : public testing::TestWithParam<SamplerOptions> {
 protected:
  int vocab() const { return target_.model.config.vocab; }

  draft::GsdDrafterOptions options_of(const GsdSetting& setting) const {
    return {.steps = setting.steps,
            .children = setting.children,
            .pruning = setting.pruning,
            .nodes = setting.nodes,
            .tau = setting.tau,
            .target_vocab = vocab(),
            .head_tokens = draft_.head_tokens};
  }
  Answer answer(std::uint64_t seed) {
    Answer made{"p", "t", test::random_tokens(kPrompt, vocab(), seed), kPrompt};
    const auto decoded =
        decode::Decoder(target_.engine, kRoom)
            .decode(made.tokens, {GetParam(), vocab(), seed}, nullptr, {.max_new = kTokens});
    made.tokens.insert(made.tokens.end(), decoded.tokens.begin(), decoded.tokens.end());
    made.sampler = GetParam();
    made.sequence_seed = seed;
    return made;
  }
  NotedRounds decoded(const Answer& answer, const GsdSetting& setting) {
    NotedRounds noted(std::make_unique<draft::GsdDrafter>(engine_, options_of(setting)));
    const auto prompt = std::span(answer.tokens).first(kPrompt);
    const auto result = decode::Decoder(target_.engine, kRoom)
                            .decode(prompt, {answer.sampler, vocab(), answer.sequence_seed}, &noted,
                                    {.max_new = kTokens + 20});
    // It goes on a little, so that no round of the answer is cut by its end.
    EXPECT_TRUE(
        std::equal(answer.tokens.begin() + kPrompt, answer.tokens.end(), result.tokens.begin()));
    return noted;
  }

  test::TinyEngine target_{model::WeightType::kQ4_1, 2, 1};
  model::Model draft_ =
      test::shallow_model(target_.model, std::vector<int>{1}, test::every_token(vocab(), 1, 2));
  std::shared_ptr<engine::Engine> engine_ = target_.engine.beside(draft_, {});
  RecordingLimits limits_ = {.children = 3, .probability = 0, .steps = 5, .nodes = 400};
};

// The same units draft and verify: round by round the same nodes are drafted, copied and accepted.
TEST_P(GsdReplayTest, IsDecodingRoundByRound) {
  const GsdSetting settings[] = {{1, {0, 0, 0}, 0, 4, 256},
                                 {2, {0.02, 0, 0}, 0, 3, 2048},
                                 {3, {0.01, 0.3, 0}, 1, 5, 60},
                                 {3, {0.01, 0, 0}, 1, 4, 9},
                                 {3, {0.005, 0.2, 0.00001}, 2, 5, 300}};
  TreeRecorder recorder(engine_, draft_.head_tokens, vocab(), limits_);
  draft::NodeRanking ranking(*engine_, {draft_.head_tokens, vocab(), vocab()});
  std::int64_t accepted = 0, copied = 0, later = 0;
  for (const std::uint64_t seed : {1u, 2u}) {
    const Answer answer = this->answer(seed);
    const std::size_t end = answer.tokens.size() - 10;
    RecordedStretch recorded = recorder.record(answer, kPrompt + 1, end);
    for (const GsdSetting& setting : settings) {
      const NotedRounds expected = decoded(answer, setting);
      std::size_t i = 0;
      std::int64_t later_of_setting = 0, with_copies = 0;
      GsdTrial sums;
      GsdReplay(setting, ranking).run(recorded, sums, [&](const ReplayedRound& round) {
        ASSERT_FALSE(round.lacks_nodes);
        ASSERT_LT(i, expected.rounds.size());
        EXPECT_EQ((NotedRounds::Round{round.position, round.drafted, round.verified, round.accepted,
                                      round.accepted_copies, round.later_children}),
                  expected.rounds[i])
            << "round " << i << " of k = " << setting.children << ", tau = " << setting.tau;
        ++i;
        accepted += round.accepted;
        copied += round.verified - round.drafted;
        later += round.later_children;
        later_of_setting += round.later_children;
        with_copies += round.accepted_copies > 0;
      });
      EXPECT_EQ(sums.rounds, static_cast<std::int64_t>(i));
      EXPECT_GT(i, 10u);
      EXPECT_EQ(sums.verified.passes(), sums.rounds);
      EXPECT_GT(sums.drafted, sums.rounds);
      EXPECT_EQ(sums.later_children, later_of_setting);
      EXPECT_EQ(sums.rounds_with_copies, with_copies);
    }
  }
  EXPECT_GT(accepted, 20);
  EXPECT_GT(copied, 20);
  EXPECT_GT(later, 0);
}

// The rows of the draft model's passes: what it reads of the text, then what it forwards below the root.
TEST_P(GsdReplayTest, HasTheRowsOfTheDraftModelsPasses) {
  const Answer answer = this->answer(3);
  const GsdSetting setting = {3, {0.01, 0.1, 0}, 1, 5, 40};
  TreeRecorder recorder(engine_, draft_.head_tokens, vocab(), limits_);
  draft::NodeRanking ranking(*engine_, {draft_.head_tokens, vocab(), vocab()});
  RecordedStretch recorded = recorder.record(answer, kPrompt + 1, answer.tokens.size() - 10);
  GsdTrial sums;
  std::vector<int> found;
  int unread = kPrompt + 1, more = 0;
  GsdReplay(setting, ranking).run(recorded, sums, [&](const ReplayedRound& round) {
    found.push_back(unread);
    found.insert(found.end(), round.level_rows.begin(), round.level_rows.end());
    unread = 1 + round.unread;
    more += round.unread;
  });
  EXPECT_EQ(sums.drafting.passes(), std::ssize(found));
  EXPECT_GT(more, 0);

  const auto counting = std::make_shared<test::CountingEngine>(*engine_);
  draft::GsdDrafter drafter(counting, options_of(setting));
  decode::Decoder(target_.engine, kRoom)
      .decode(std::span(answer.tokens).first(kPrompt),
              {answer.sampler, vocab(), answer.sequence_seed}, &drafter, {.max_new = kTokens + 20});
  ASSERT_GE(counting->rows.size(), found.size());
  EXPECT_EQ(found, std::vector(counting->rows.begin(), counting->rows.begin() + std::ssize(found)));
}

// The logits are those of the draft model after the text and a node's path, and every recorded tree is seen.
TEST_P(GsdReplayTest, ShowsTheLogitsOfEveryExpandedNode) {
  const Answer answer = this->answer(4);
  TreeRecorder recorder(engine_, draft_.head_tokens, vocab(), limits_);
  draft::TreePasses passes(engine_);
  std::size_t seen = 0, compared = 0;
  const std::size_t first = kPrompt + 1, end = first + 4;
  recorder.record(
      answer, first, end, [&](const RecordedStretch& stretch, std::size_t position, auto logits) {
        const RecordedTree& tree = stretch.trees[position - first];
        EXPECT_EQ(position, first + seen++);
        ASSERT_EQ(std::ssize(logits), tree.size());
        for (int node = 0; node < tree.size(); ++node) {
          const std::vector<float>& found = logits[static_cast<std::size_t>(node)];
          EXPECT_EQ(found.empty(), !tree.is_expanded(node));
          if (found.empty() || node % 7 != 0) continue;
          std::vector<Token> text(answer.tokens.begin(),
                                  answer.tokens.begin() + std::ptrdiff_t(position));
          const auto committed = std::ssize(text);
          for (int above = node; above != 0; above = tree.parent(above))
            text.insert(text.begin() + committed, tree.token(above));
          passes.keep_prefix({});
          passes.reserve(static_cast<int>(text.size()), 1);
          const auto expected = passes.read(text).numbers().first(found.size());
          EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << "node " << node;
          ++compared;
        }
      });
  EXPECT_EQ(seen, 4U);
  EXPECT_GT(compared, 20U);
}

INSTANTIATE_TEST_SUITE_P(
    All, GsdReplayTest,
    testing::Values(SamplerOptions{}, SamplerOptions{.temperature = 1, .top_k = 12},
                    SamplerOptions{.temperature = 1, .top_k = 8, .frequency_penalty = 0.4},
                    SamplerOptions{.repetition_penalty = 1.3}));

using RecordedTrees = GsdReplayTest;

// What larger thresholds leave is recorded first, and the best tokens' path in any case.
TEST_F(RecordedTrees, AreCutWhereThresholdsAreSmall) {
  Answer text{"p", "t", test::random_tokens(60, vocab(), 5), kPrompt};
  limits_ = {.children = 4, .probability = 0.001, .steps = 6, .nodes = 64};
  TreeRecorder recorder(engine_, draft_.head_tokens, vocab(), limits_);
  const RecordedStretch recorded = recorder.record(text, 40, 44);
  ASSERT_EQ(recorded.trees.size(), 4u);
  for (const RecordedTree& tree : recorded.trees) {
    EXPECT_LE(tree.size(), 65);
    EXPECT_TRUE(tree.is_cut);
    int node = 0;
    for (int depth = 0; depth < limits_.steps; ++depth) {
      ASSERT_TRUE(tree.is_expanded(node)) << "the best tokens' path at depth " << depth;
      const auto children = tree.children(node, 4);
      ASSERT_EQ(children.size(), 4u);
      EXPECT_EQ(tree.children(node, 2).size(), 2u);
      const int best = tree.child(node, children.front().token);
      EXPECT_EQ(tree.parent(best), node);
      node = best;
    }
  }
}

using RedundancyStudies = GsdReplayTest;

// a b c d and b c d: what is like what, and how far apart the distributions after them are.
TEST_F(RedundancyStudies, CompareBranchesByTheirLastTokens) {
  const Token a = 1, b = 2, c = 3, d = 4;
  const Answer text{"p", "t", test::random_tokens(30, vocab(), 5), kPrompt};
  draft::NodeRanking ranking(*engine_, {draft_.head_tokens, vocab(), vocab()});
  RecordedTree tree(draft::KeptLogits({draft_.head_tokens, vocab(), vocab()}));
  const auto expand = [&](int node, std::initializer_list<std::pair<Token, double>> children) {
    std::vector<sampling::RankedToken> ranked;
    for (const auto& [token, q] : children) ranked.push_back({token, std::log(q), 0});
    return tree.expand(node, ranked, RecordedTree::kNone);
  };
  const int of_a = expand(0, {{a, 0.6}, {b, 0.3}}), of_b = of_a + 1;
  const int ab = expand(of_a, {{b, 0.9}}), bc = expand(of_b, {{c, 0.9}});
  const int abc = expand(ab, {{c, 0.9}});
  expand(bc, {{d, 0.9}});
  expand(abc, {{d, 0.9}});
  std::vector<std::vector<float>> logits(static_cast<std::size_t>(tree.size()));
  const auto set = [&](int node, double first) {
    logits[static_cast<std::size_t>(node)] = {float(std::log(first)), float(std::log(1 - first))};
  };
  for (const auto& [node, first] :
       {std::pair(0, 0.5), {of_a, 0.5}, {of_b, 0.25}, {ab, 0.75}, {bc, 0.9}, {abc, 0.6}})
    set(node, first);
  const auto divergence = [](double p, double q) {
    return p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
  };

  RecordedStretch stretch = {&text, 25, {}};
  stretch.trees.push_back(tree);
  RedundancyStudy study(ranking, 3);
  study.add(stretch, 25, logits);
  ASSERT_EQ(study.by_children().size(), 2U);
  const Redundancy& found = study.by_children()[0];
  EXPECT_EQ(found.children, 2);
  EXPECT_EQ(found.trees, 1);
  EXPECT_EQ(found.nodes, 7);
  EXPECT_EQ(found.repeated_nodes, (std::array<std::int64_t, 4>{6, 6, 6, 0}));
  const auto expect = [&](std::size_t tau, std::int64_t nodes, double sum) {
    EXPECT_EQ(found.merging[tau].nodes, nodes) << tau;
    EXPECT_NEAR(found.merging[tau].divergence, sum, 1e-6) << tau;
  };
  expect(0, 4,
         divergence(0.25, 0.5) + divergence(0.75, 0.25) + divergence(0.9, 0.5) +
             divergence(0.6, 0.25));
  expect(1, 2, divergence(0.75, 0.25) + divergence(0.6, 0.9));
  expect(2, 1, divergence(0.6, 0.9));
  expect(3, 0, 0);
  EXPECT_NEAR(found.merging[1].mean_divergence(), found.merging[1].divergence / 2, 1e-12);
}

TEST(Stretches, DividePositionsAmongTextsOutsideLoops) {
  std::vector<Answer> answers;
  for (const int made : {50, 3, 40, 1}) {
    Answer& one = answers.emplace_back();
    one.prompt = 10;
    one.tokens.resize(static_cast<std::size_t>(10 + made));
  }
  answers[2].in_loop.assign(40, 0);
  std::fill(answers[2].in_loop.begin() + 8, answers[2].in_loop.end(), 1);
  std::vector<const Answer*> all;
  for (const Answer& one : answers) all.push_back(&one);
  const auto some = choose_stretches(all, 24, 1000);
  ASSERT_EQ(some.size(), 2u) << "a text in a loop and one of a token have none";
  EXPECT_EQ(some[0].answer, all[0]);
  EXPECT_EQ(some[0].first, 11u);
  EXPECT_EQ(some[0].end, 17u) << "its share";
  EXPECT_EQ(some[1].end - some[1].first, 2u) << "all that it has";
  const auto whole = choose_stretches(all, 0, 30);
  ASSERT_EQ(whole.size(), 3u);
  EXPECT_EQ(whole[0].end, 31u) << "as far as the draft model's context reaches";
  EXPECT_EQ(whole[2].first, 11u);
  EXPECT_EQ(whole[2].end, 18u) << "up to the loop";
}

}  // namespace
}  // namespace outrider::calibrate
