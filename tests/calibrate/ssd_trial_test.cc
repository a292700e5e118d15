#include "calibrate/ssd/ssd_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calibrate/replay/replay.h"
#include "calibrate/ssd/draft_agreement.h"
#include "runtime/cost/stop_trials.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/model/model_drafter.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "tests/support/shallow_model.h"
#include "tests/support/some_trials.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

/// The rounds of at most so many tokens, and none after one less probable than the threshold.
struct RoundLimits {
  int length;
  double threshold;
};

Replay rounds_of(const SsdTrial& trial, const RoundLimits& limits) {
  Replay rounds;
  cost::for_each_round(
      trial.drafted_text(), {limits.length, std::log(limits.threshold)},
      [&](int drafted, int accepted, int tokens) { rounds.add_pass(drafted, accepted, tokens); });
  return rounds;
}

/// A tiny target, and its first layer with a head of some tokens as the draft model.
struct Models {
  test::TinyEngine target{model::WeightType::kQ8_0, 5, 1};
  model::Model draft;
  std::shared_ptr<engine::Engine> engine;

  explicit Models(std::vector<Token> head_tokens)
      : draft(test::shallow_model(target.model, std::vector{1}, std::move(head_tokens))),
        engine(target.engine.beside(draft, {})) {}

  int vocab() const { return target.model.config.vocab; }
  std::unique_ptr<draft::Drafter> drafter(int length, double threshold) const {
    const std::string policy = threshold > 0 ? "confidence" : "static";
    return std::make_unique<draft::ModelDrafter>(
        engine, draft::make_stop_policy({policy, length, threshold}),
        draft::ModelDrafterOptions{
            .longest = length, .target_vocab = vocab(), .head_tokens = draft.head_tokens});
  }
  Answer answer(const sampling::SamplerOptions& options, std::uint64_t seed) {
    Answer made{"p", "t", test::random_tokens(20, 12, seed), 20};
    sampling::Sampler sampler(options, vocab(), seed);
    const auto decoded =
        decode::Decoder(target.engine, 200).decode(made.tokens, sampler, nullptr, {.max_new = 120});
    made.tokens.insert(made.tokens.end(), decoded.tokens.begin(), decoded.tokens.end());
    made.sampler = options;
    made.sequence_seed = seed;
    return made;
  }
};

class Rounds : public testing::TestWithParam<sampling::SamplerOptions> {};

// The drafted chain continues after a wrong token, the trial after the right one; what is accepted is the
// same, and for rounds of one length everything is.
TEST_P(Rounds, AreThoseOfReplayingTheDrafter) {
  Models models(test::every_token(274, 0, 2));
  SsdTrials trials(*models.engine, models.draft.head_tokens, models.vocab());
  std::int64_t accepted = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Answer answer = models.answer(GetParam(), seed);
    const SsdTrial trial = trials.of(answer);
    ASSERT_EQ(std::ssize(trial.accepted), answer.made() - 1);
    for (const int length : {1, 3, 16}) {
      const auto drafter = models.drafter(length, 0);
      const Replay expected = replay(answer, drafter.get());
      const Replay found = rounds_of(trial, {length, 0});
      EXPECT_EQ(found.passes, expected.passes);
      EXPECT_EQ(found.tokens, expected.tokens);
      EXPECT_EQ(found.drafted, expected.drafted);
      EXPECT_EQ(found.accepted, expected.accepted);
      accepted += found.accepted;
    }
    // Rounds of one token never continue after a wrong one, so confidence changes nothing.
    EXPECT_EQ(rounds_of(trial, {1, 0.9}).accepted, rounds_of(trial, {1, 0}).accepted);
    const auto cautious = models.drafter(8, 0.02);
    const Replay expected = replay(answer, cautious.get());
    EXPECT_EQ(rounds_of(trial, {8, 0.02}).accepted, expected.accepted);
    EXPECT_EQ(rounds_of(trial, {8, 0.02}).passes, expected.passes);
  }
  EXPECT_GT(accepted, 50);
}

INSTANTIATE_TEST_SUITE_P(, Rounds,
                         testing::Values(sampling::SamplerOptions{},
                                         sampling::SamplerOptions{.temperature = 1},
                                         sampling::SamplerOptions{.temperature = 0.8,
                                                                  .top_k = 50,
                                                                  .top_p = 0.9,
                                                                  .repetition_penalty = 1.2,
                                                                  .frequency_penalty = 0.1}));

TEST(SsdTrials, CountTokensOutsideTheHeadAsMissed) {
  Models models(test::every_token(274, 0, 2));
  const Answer answer = models.answer({.temperature = 1}, 4);
  const SsdTrial trial =
      SsdTrials(*models.engine, models.draft.head_tokens, models.vocab()).of(answer);
  bool missed = false;
  for (std::size_t i = 0; i < trial.size(); ++i) {
    const Token token = answer.tokens[static_cast<std::size_t>(answer.prompt) + 1 + i];
    EXPECT_EQ(trial.in_head[i], token % 2 == 0);
    EXPECT_FALSE(trial.accepted[i] && !trial.in_head[i]);
    EXPECT_LE(trial.log_q[i], 0);
    missed = missed || !trial.in_head[i];
  }
  EXPECT_TRUE(missed);
}

TEST(SsdTrials, AcceptAllOfTheTargetsOwnDrafts) {
  Models models({});
  SsdTrials trials(models.target.engine, {}, models.vocab());
  const SsdTrial trial = trials.of(models.answer(test::every_sampler_option(), 6));
  EXPECT_EQ(std::count(trial.accepted.begin(), trial.accepted.end(), 1),
            std::ssize(trial.accepted));
  EXPECT_EQ(rounds_of(trial, {4, 0}).tokens_per_pass(), 119.0 / 24);
}

// Rows of padding, which decoding never drafts either.
TEST(SsdTrials, DraftNothingThatTheTargetDoesNotHave) {
  Models models({});
  const Answer answer = models.answer({.temperature = 1}, 4);
  constexpr int kTargetVocab = 100;
  const SsdTrial trial = SsdTrials(*models.engine, {}, kTargetVocab).of(answer);
  bool is_beyond = false;
  for (std::size_t i = 0; i < trial.size(); ++i) {
    const Token token = answer.tokens[static_cast<std::size_t>(answer.prompt) + 1 + i];
    EXPECT_EQ(trial.in_head[i], token < kTargetVocab);
    EXPECT_FALSE(trial.accepted[i] && token >= kTargetVocab);
    is_beyond = is_beyond || token >= kTargetVocab;
  }
  EXPECT_TRUE(is_beyond);
}

TEST(SsdTrials, LeaveOutLoopsAndWhatIsBeyondTheContext) {
  Models models({});
  Answer answer = models.answer({}, 7);
  answer.in_loop.assign(120, 0);
  std::fill(answer.in_loop.begin() + 60, answer.in_loop.end(), std::uint8_t{1});
  const SsdTrial trial = SsdTrials(*models.engine, {}, models.vocab()).of(answer);
  EXPECT_EQ(std::count(trial.counted.begin(), trial.counted.end(), 1), 59);
  SsdAtTemperature all;
  all.add("t", trial);
  EXPECT_EQ(all.by_task["t"].tokens, 59);
  EXPECT_EQ(rounds_of(trial, {8, 0}).tokens, 59);

  models.draft.config.context = 50;
  answer.in_loop.clear();
  const SsdTrial cut = SsdTrials(*models.engine, {}, models.vocab()).of(answer);
  EXPECT_TRUE(std::none_of(cut.accepted.begin() + 30, cut.accepted.end(),
                           [](std::uint8_t one) { return one != 0; }));
}

TEST(TriedRounds, TellTheFastest) {
  // Tokens come in threes that are drafted, and one that is not, which the draft doubts.
  SsdTrial trial;
  for (int i = 0; i < 400; ++i) {
    trial.counted.push_back(1);
    trial.in_head.push_back(1);
    trial.accepted.push_back(i % 4 != 3);
    trial.log_q.push_back(std::log(i % 4 != 3 ? 0.9f : 0.15f));
  }
  SsdAtTemperature all;
  all.add("one", trial);
  SsdTrial wrong = trial;
  std::fill(wrong.accepted.begin(), wrong.accepted.end(), std::uint8_t{0});
  wrong.counted.assign(400, 0);
  wrong.counted[0] = 1;
  all.add("two", wrong);
  EXPECT_DOUBLE_EQ(all.mean_agreement(), 0.375);
  cost::TemperatureTrials tried = try_rounds(all, 0);
  EXPECT_EQ(tried.positions, 401);
  EXPECT_EQ(tried.trials.size(), 16U * (1 + 10 + 10));
  const auto best = [&](double row, double step) {
    tried.price({cost::CostModel(test::some_passes(row, row)), 0, {1}, {step}});
    return tried.best(cost::kStopNames, {}, {})->settings;
  };
  EXPECT_EQ(best(0, 0.5), (cost::SettingValues{{"draft-stop", "static"}, {"draft-length", 3.0}}));
  EXPECT_EQ(cost::number_of(best(0.02, 100), "draft-length"), 1);
  best(0.02, 0.1);
  EXPECT_GT(tried.speed_up(*tried.best(cost::kStopNames, {}, {})), 1);
}

// A second token of 0.8 does not pay, but which is the second, no threshold of tokens tells.
TEST(TriedRounds, CanBeOfTheProductOfARound) {
  SsdTrial trial;
  for (int i = 0; i < 400; ++i) {
    const int place = i % 5;
    trial.counted.push_back(1);
    trial.in_head.push_back(1);
    trial.accepted.push_back(place != 2 && place != 3);
    trial.log_q.push_back(std::log(place == 0 ? 0.95f : 0.8f));
  }
  SsdAtTemperature all;
  all.add("one", trial);
  cost::TemperatureTrials tried = try_rounds(all, 0);
  tried.price({cost::CostModel(test::some_passes(0, 0)), 0, {1}, {0.2}});
  const auto best = [&](const char* stop) {
    return tried.best(cost::kStopNames, {{"draft-stop", stop}}, {})->tokens_per_second;
  };
  EXPECT_GT(best("path"), best("confidence"));
  EXPECT_EQ(tried.best(cost::kStopNames, {}, {})->settings.at("draft-stop"),
            cost::SettingValue("path"));
}

TEST(TriedRounds, KnowTheImprovementFactor) {
  EXPECT_DOUBLE_EQ(improvement_factor(0.5, 1, 0), 1.5);
  EXPECT_NEAR(improvement_factor(0.8, 5, 0.05), (1 - std::pow(0.8, 6)) / (0.2 * (5 * 0.05 + 1)),
              1e-12);
  EXPECT_DOUBLE_EQ(improvement_factor(1, 4, 0.25), 2.5);
}

}  // namespace
}  // namespace outrider::calibrate
