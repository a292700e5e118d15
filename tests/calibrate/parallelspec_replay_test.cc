// Replaying forms of trees on recorded depths against decoding with them.

#include "calibrate/parallelspec/parallelspec_replay.h"

#include <gtest/gtest.h>

#include <ostream>

#include "calibrate/parallelspec/level_recorder.h"
#include "calibrate/replay/recomputed.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/parallelspec/medusa_heads_drafter.h"
#include "runtime/draft/parallelspec/parallelspec_drafter.h"
#include "tests/draft/counting_engine.h"
#include "tests/support/tiny_engine.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::calibrate {
namespace {

using draft::LevelShape;
using draft::ParallelSpecModel;
using sampling::SamplerOptions;
using Flavour = ParallelSpecModel::Flavour;

struct NotedTree {
  std::size_t position;
  int drafted;
  int accepted;
  bool operator==(const NotedTree&) const = default;
};

/// What a drafter did, round by round.
class NotedTrees : public draft::Drafter {
 public:
  explicit NotedTrees(std::unique_ptr<draft::Drafter> inner) : inner_(std::move(inner)) {}
  std::vector<NotedTree> rounds;

  std::string name() const override { return inner_->name(); }
  draft::DrafterTraits traits() const override { return {.wants = inner_->traits().wants}; }
  int begin(const draft::TextStart& text) override { return inner_->start(text); }
  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override {
    inner_->observe(pass, rows);
  }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    inner_->draft(context, tree);
    rounds.push_back({context.committed.size(), tree.num_drafted(), 0});
  }
  void verified(std::span<const int> accepted, Token next) override {
    rounds.back().accepted = static_cast<int>(accepted.size());
    inner_->verified(accepted, next);
  }

 private:
  std::unique_ptr<draft::Drafter> inner_;
};

struct ReplayedKind {
  test::ParallelSpecShape shape;
  SamplerOptions sampler;
  double follow_weight = 0;
};

class ParallelSpecReplayTest : public testing::TestWithParam<ReplayedKind> {
 protected:
  static constexpr int kPrompt = 20;
  static constexpr int kTokens = 90;
  static constexpr int kRoom = 300;

  int vocab() const { return target_.model.config.vocab; }
  bool one_by_one() const { return model_->drafts_one_by_one(); }
  int depths() const { return std::min(model_->most_drafts(), 4); }

  std::vector<LevelShape> shapes() const {
    std::vector<LevelShape> all = {{depths(), {}, 0}, {2, {}, 0}, {depths(), {}, 0.02}};
    if (!one_by_one())
      for (const LevelShape& tree : {LevelShape{depths(), {3, 2}, 0}, LevelShape{2, {1, 4}, 0},
                                     LevelShape{3, {2, 2, 2}, 0.02}, LevelShape{depths(), {}, 0, 6},
                                     LevelShape{depths(), {}, 0.02, 12}, LevelShape{2, {}, 0.2, 3}})
        all.push_back(tree);
    return all;
  }
  Answer answer(std::uint64_t seed) {
    Answer made{"p", "t", test::random_tokens(kPrompt, vocab(), seed), kPrompt};
    made.sampler = GetParam().sampler;
    made.sequence_seed = seed;
    const auto decoded =
        decode::Decoder(target_.engine, kRoom)
            .decode(made.tokens, {made.sampler, vocab(), seed}, nullptr, {.max_new = kTokens});
    made.tokens.insert(made.tokens.end(), decoded.tokens.begin(), decoded.tokens.end());
    return made;
  }
  /// Counts of a text in which every token is followed by some of those that are likely here.
  draft::PairWeights pair_weights() const {
    std::vector<draft::PairCounts::Pair> pairs;
    for (Token token = 0; token < vocab(); ++token)
      for (const Token next : {1, 4, 7, 13, 19, 25, 40, 70})
        if ((token + next) % 2 == 0) pairs.push_back({token, next, 3 * ((token + next) % 9) + 1});
    return {std::make_shared<const draft::PairCounts>(
                std::vector<std::int32_t>(static_cast<std::size_t>(vocab()), 30), pairs),
            GetParam().follow_weight};
  }
  RecordedLevels record(const Answer& answer) {
    LevelRecorder recorder(model_, engine_, residual_, depths(), 4, pair_weights());
    Recomputed observations(target_.engine);
    return recorder.record({&answer, kPrompt + 1, answer.tokens.size() - 10}, observations);
  }
  /// It goes on a little, so that no round of the answer is cut by its end.
  decode::DecodeResult decode(const Answer& answer, draft::Drafter& drafter) {
    return decode::Decoder(target_.engine, kRoom)
        .decode(std::span(answer.tokens).first(kPrompt),
                {answer.sampler, vocab(), answer.sequence_seed}, &drafter,
                {.max_new = kTokens + 20});
  }
  std::unique_ptr<draft::Drafter> drafter(const LevelShape& shape,
                                          const std::shared_ptr<engine::Engine>& engine) {
    const draft::ParallelSpecDrafterOptions options = {
        .length = shape.length,
        .widths = shape.widths,
        .threshold = shape.threshold,
        // Where nothing was calibrated with counts, nothing is drafted with them.
        .pair_weights = one_by_one() ? draft::PairWeights() : pair_weights(),
        .best_nodes = shape.best_nodes};
    if (model_->has_heads())
      return std::make_unique<draft::MedusaHeadsDrafter>(model_, residual_, engine, options);
    return std::make_unique<draft::ParallelSpecDrafter>(model_, engine, options);
  }

  test::TinyEngine target_{model::WeightType::kQ4_1, 2, 1};
  std::shared_ptr<const ParallelSpecModel> model_ = std::make_shared<const ParallelSpecModel>(
      test::tiny_parallelspec(target_.model, GetParam().shape, 3));
  std::shared_ptr<engine::Engine> engine_ = target_.engine.beside(model_->layer, {});
  std::shared_ptr<engine::Engine> residual_ =
      model_->has_heads() ? target_.engine.beside(model_->residual, {}) : nullptr;
};

// The same code drafts and verifies: round by round as many nodes are drafted and accepted.
TEST_P(ParallelSpecReplayTest, IsDecodingRoundByRound) {
  std::int64_t accepted = 0, not_reached = 0;
  for (const std::uint64_t seed : {1u, 2u}) {
    const Answer answer = this->answer(seed);
    const RecordedLevels recorded = record(answer);
    EXPECT_EQ(recorded.positions(), static_cast<std::size_t>(kTokens - 11));
    for (const LevelShape& shape : shapes()) {
      NotedTrees expected(drafter(shape, engine_));
      const auto decoded = decode(answer, expected);
      ASSERT_TRUE(
          std::equal(answer.tokens.begin() + kPrompt, answer.tokens.end(), decoded.tokens.begin()));
      std::size_t i = 0;
      cost::TrialCounts sums;
      ParallelSpecReplay(shape, *model_).run(recorded, sums, [&](const TreeRound& round) {
        ASSERT_LT(i, expected.rounds.size());
        EXPECT_EQ((NotedTree{round.position, round.drafted, round.accepted}), expected.rounds[i])
            << "round " << i << " of " << shape.tree() << ", " << shape.length;
        ++i;
        accepted += round.accepted;
        not_reached += round.drafted < shape.nodes();
      });
      EXPECT_EQ(sums.rounds, static_cast<std::int64_t>(i));
      EXPECT_GT(i, 10u);
      EXPECT_EQ(sums.verified.passes(), sums.rounds);
    }
  }
  EXPECT_GT(accepted, 20);
  EXPECT_GT(not_reached, 20) << "no threshold ended a draft";
}

// The rows of the drafter's passes: what it reads of the text, and masks or drafted tokens.
TEST_P(ParallelSpecReplayTest, HasTheRowsOfTheDraftersPasses) {
  std::int64_t more = 0;  // tokens that a round begins with besides one
  for (const std::uint64_t seed : {1u, 2u}) {
    const Answer answer = this->answer(seed);
    const RecordedLevels recorded = record(answer);
    for (const LevelShape& shape : {LevelShape{3, {}, 0}, LevelShape{2, {}, 0.02}}) {
      cost::TrialCounts sums, expected;
      ParallelSpecReplay(shape, *model_).run(recorded, sums);
      const auto counting = std::make_shared<test::CountingEngine>(*engine_);
      const auto decoding = drafter(shape, counting);
      decode(answer, *decoding);
      // The first pass reads the prompt; those after the last replayed round do not count.
      const auto passes = static_cast<std::size_t>(sums.drafting.passes());
      ASSERT_GE(counting->rows.size(), passes);
      expected.drafting.add(model_->has_heads() ? shape.length
                            : one_by_one()      ? 1
                                                : 1 + model_->more_rows(shape.length));
      for (std::size_t i = 1; i < passes; ++i) expected.drafting.add(counting->rows[i]);
      EXPECT_EQ(sums.drafting, expected.drafting) << shape.length;
      more += sums.tokens - sums.rounds;
    }
  }
  EXPECT_GT(more, 0);
}

SamplerOptions for_few_tokens(double temperature) {
  // Of so few tokens many are drafted rightly.
  return {.temperature = temperature, .logit_bias = {{1, 50}, {7, 50}, {40, 50}, {70, 50}}};
}

SamplerOptions for_few_tokens_with_penalties() {
  SamplerOptions options = for_few_tokens(1);
  options.frequency_penalty = 0.4;
  return options;
}

SamplerOptions for_more_tokens(double temperature) {
  SamplerOptions options = {.temperature = temperature};
  for (const Token token : {1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 40, 70})
    options.logit_bias.emplace_back(token, 50);
  return options;
}

/// Noise sometimes makes a token the best whose logit is by more than draft::kShortlistReach less than the best one's.
SamplerOptions for_few_tokens_and_rarely_others() {
  return {.temperature = 1, .logit_bias = {{1, 8}, {7, 8}, {40, 8}, {70, 8}}};
}

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for this name.
void PrintTo(const ReplayedKind& kind, std::ostream* out) {
  *out << draft::name_of(kind.shape.flavour) << (kind.shape.token_inputs ? "" : " over states")
       << " at temperature " << kind.sampler.temperature << ", weight " << kind.follow_weight;
}

INSTANTIATE_TEST_SUITE_P(
    , ParallelSpecReplayTest,
    testing::Values(ReplayedKind{{Flavour::kEagle, true}, for_few_tokens(0)},
                    ReplayedKind{{Flavour::kEagle, true}, for_few_tokens(1)},
                    ReplayedKind{{Flavour::kEagle, true}, for_few_tokens_and_rarely_others()},
                    ReplayedKind{{Flavour::kEagleAr, true}, for_few_tokens_and_rarely_others()},
                    ReplayedKind{{Flavour::kEagle, true}, for_few_tokens_with_penalties()},
                    ReplayedKind{{Flavour::kEagle, true}, for_few_tokens(0), 0.6},
                    ReplayedKind{{Flavour::kEagle, true}, for_more_tokens(1), 3},
                    ReplayedKind{{Flavour::kMedusa, true}, for_more_tokens(1), 3},
                    ReplayedKind{{Flavour::kEagle, true}, for_few_tokens_with_penalties(), 0.6},
                    ReplayedKind{{Flavour::kMedusa, false}, for_few_tokens(1), 2},
                    ReplayedKind{{Flavour::kEagleAr, true}, for_few_tokens(1), 2},
                    ReplayedKind{{Flavour::kMedusaHeads, false}, for_few_tokens(0)},
                    ReplayedKind{{Flavour::kMedusaHeads, false}, for_few_tokens(1), 2},
                    ReplayedKind{{Flavour::kMedusa, true}, for_few_tokens(1)},
                    ReplayedKind{{Flavour::kMedusa, false}, for_few_tokens(0)},
                    ReplayedKind{{Flavour::kMedusa, false}, for_few_tokens(1)},
                    ReplayedKind{{Flavour::kEagleAr, true}, for_few_tokens(0)},
                    ReplayedKind{{Flavour::kEagleAr, true}, for_few_tokens(1)}));

}  // namespace
}  // namespace outrider::calibrate
