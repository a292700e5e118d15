#include "runtime/draft/model/model_drafter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "runtime/decode/decode_loop.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "tests/decode/texts.h"
#include "tests/decode/trimmed_draft.h"
#include "tests/support/some_classifier.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

using sampling::SamplerOptions;

constexpr int kRoomOfText = 200;
constexpr int kNew = 80;

class Ssd : public test::TrimmedDraft {
 protected:
  std::unique_ptr<draft::ModelDrafter> drafter(
      engine::Engine& engine, const std::string& stop,
      draft::Verification verification = draft::Verification::kCoupled, int longest = 5) const {
    return std::make_unique<draft::ModelDrafter>(
        shared(engine),
        draft::make_stop_policy({stop, longest, draft::has_classifier(stop) ? 0.5 : 0.02,
                                 test::alternating_classifier()}),
        draft::ModelDrafterOptions{.longest = longest,
                                   .verification = verification,
                                   .target_vocab = vocab(),
                                   .head_tokens = head_tokens(engine)});
  }

  DecodeResult decode(draft::Drafter* drafter, const SamplerOptions& options,
                      std::uint64_t seed = 11, const DecodeLimits& limits = {.max_new = kNew}) {
    Decoder decoder(target_.engine, kRoomOfText);
    return decoder.decode(prompt_, {options, vocab(), seed}, drafter, limits);
  }
};

// q = p: whatever the sampling, the draft's choices are the target's own.
TEST_F(Ssd, HasEveryDraftOfTheTargetItselfAccepted) {
  for (const SamplerOptions& options : test::kinds_of_sampling()) {
    const DecodeResult plain = decode(nullptr, options);
    for (const std::string& stop : draft::stop_policy_names()) {
      const auto own = drafter(target_.engine, stop);
      const DecodeResult drafted = decode(own.get(), options);
      EXPECT_EQ(drafted.tokens, plain.tokens) << stop;
      EXPECT_EQ(drafted.stats.accepted, drafted.stats.drafted) << stop;
      EXPECT_EQ(drafted.stats.accepted + drafted.stats.passes, kNew - 1) << stop;
      EXPECT_GT(drafted.stats.accepted, kNew / 3) << stop;
    }
  }
}

TEST_F(Ssd, OfALesserModelChangesNoToken) {
  int accepted = 0, rejected = 0;
  for (const SamplerOptions& options : test::kinds_of_sampling()) {
    const DecodeResult plain = decode(nullptr, options);
    for (const std::string& stop : draft::stop_policy_names()) {
      const auto lesser = drafter(*trimmed_, stop);
      const DecodeResult drafted = decode(lesser.get(), options);
      EXPECT_EQ(drafted.tokens, plain.tokens) << stop;
      accepted += drafted.stats.accepted;
      rejected += drafted.stats.drafted - drafted.stats.accepted;
    }
  }
  EXPECT_GE(accepted, 100);
  EXPECT_GE(rejected, 100);
}

TEST_F(Ssd, OfDiscoAtTheEndsOfItsThresholdsDraftsAsFixedRoundsDo) {
  const auto classifier = test::alternating_classifier();
  const auto passes = [&](const std::string& stop, double threshold, int longest) {
    draft::ModelDrafter drafter(
        shared(*trimmed_), draft::make_stop_policy({stop, longest, threshold, classifier}),
        {.longest = longest, .target_vocab = vocab(), .head_tokens = trimmed_model_.head_tokens});
    std::vector<std::pair<int, int>> all;
    for (const PassDraft& pass : decode(&drafter, {.temperature = 1}).stats.by_pass)
      all.emplace_back(pass.drafted, pass.accepted);
    return all;
  };
  const auto longest = passes("static", 0, 6), one = passes("static", 0, 1);
  EXPECT_EQ(passes("disco", 0, 6), longest);
  EXPECT_EQ(passes("disco", 1.1, 6), one);
  EXPECT_NE(passes("disco", 0.5, 6), longest);
  EXPECT_NE(passes("disco", 0.5, 6), one);
}

TEST_F(Ssd, KeepsItsCacheFromTurnToTurn) {
  const SamplerOptions options = {.temperature = 1, .frequency_penalty = 0.3};
  const auto own = drafter(target_.engine, "static", draft::Verification::kCoupled, 4);
  Decoder decoder(target_.engine, kRoomOfText);
  sampling::Sampler sampler(options, vocab(), 3);
  std::vector<Token> text = prompt_;
  std::size_t forwarded = 0;
  for (int turn = 0; turn < 4; ++turn) {
    const DecodeResult result = decoder.decode(text, sampler, own.get(), {.max_new = 21});
    EXPECT_EQ(result.stats.passes, 4) << "turn " << turn;
    Decoder fresh(target_.engine, kRoomOfText);
    EXPECT_EQ(fresh.decode(text, sampler, nullptr, {.max_new = 21}).tokens, result.tokens);
    const draft::DrafterCount& prefilled = result.stats.draft_counts.back();
    EXPECT_EQ(prefilled.name, "prefilled_tokens");
    // What is new, and the first token of the answer.
    EXPECT_EQ(prefilled.count, static_cast<std::int64_t>(text.size() + 1 - forwarded));
    text.insert(text.end(), result.tokens.begin(), result.tokens.end());
    // The last token of a draft is not forwarded, nor is the one after it, with which the answer ended.
    forwarded = text.size() - 2;
    // An answer that is taken back in part.
    if (turn == 1) text.resize(text.size() - 7);
    forwarded = std::min(forwarded, text.size());
    text.push_back(static_cast<Token>(turn));
  }
}

TEST_F(Ssd, DraftsNothingBeyondItsContext) {
  test::TinyEngine target(model::WeightType::kQ4_1, 1, 1);
  model::Model small = target.model;
  small.config.context = 60;
  const auto engine = engine::make_engine(small, {.threads = 1});
  const auto near_end = drafter(*engine, "static");
  const DecodeResult drafted = decode(near_end.get(), {});
  EXPECT_EQ(drafted.tokens, decode(nullptr, {}).tokens);
  // Of 80 tokens after 25 the first 35 and what is drafted after them.
  EXPECT_EQ(drafted.stats.accepted, drafted.stats.drafted);
  EXPECT_EQ(drafted.stats.by_pass.front().drafted, 5);
  EXPECT_EQ(drafted.stats.by_pass.back().drafted, 0);
  EXPECT_GT(drafted.stats.drafted, 25);
}

TEST_F(Ssd, ByRejectionIsTheSameAtTemperatureZero) {
  for (engine::Engine* const engine : {&target_.engine, trimmed_.get()}) {
    for (const SamplerOptions& options : {SamplerOptions{}, {.frequency_penalty = 0.7}}) {
      const auto coupled = drafter(*engine, "confidence");
      const auto rejecting = drafter(*engine, "confidence", draft::Verification::kRejection);
      const DecodeResult expected = decode(coupled.get(), options);
      const DecodeResult found = decode(rejecting.get(), options);
      EXPECT_EQ(found.tokens, expected.tokens);
      EXPECT_EQ(found.stats.accepted, expected.stats.accepted);
      EXPECT_EQ(found.stats.drafted, expected.stats.drafted);
    }
  }
}

TEST_F(Ssd, ByRejectionAcceptsEveryDraftOfTheTargetItself) {
  for (const SamplerOptions& options : test::kinds_of_sampling()) {
    const auto own = drafter(target_.engine, "static", draft::Verification::kRejection);
    const DecodeResult drafted = decode(own.get(), options);
    EXPECT_EQ(drafted.stats.accepted, drafted.stats.drafted);
    EXPECT_EQ(drafted.stats.accepted + drafted.stats.passes, kNew - 1);
  }
}

TEST_F(Ssd, OfAGivenAnswerFollowsItHoweverDraftsAreVerified) {
  const auto rejecting = drafter(*trimmed_, "static", draft::Verification::kRejection);
  const std::vector<Token> given(30, 2);  // none that the draft has
  const DecodeResult followed =
      decode(rejecting.get(), {.temperature = 1}, 1, {.max_new = kNew, .given = given});
  EXPECT_EQ(followed.tokens, given);
  EXPECT_GT(followed.stats.drafted, 29);
  EXPECT_EQ(followed.stats.accepted, 0);
}

// Over rounds of several lengths, so that every position is drafted, drafted again after a rejection, and
// chosen after the last draft.
TEST_F(Ssd, ByRejectionTextsHaveTheTargetsDistribution) {
  const SamplerOptions options = {.temperature = 1.5, .top_k = 3, .frequency_penalty = 1};
  for (const int longest : {1, 3}) {
    const auto rejecting = drafter(*trimmed_, "static", draft::Verification::kRejection, longest);
    const auto tokens =
        test::expect_distribution_of_target(target_.engine, *rejecting, prompt_, options, 1500);
    EXPECT_GT(tokens.accepted, 75);
    EXPECT_LT(tokens.accepted, tokens.drafted);
  }
}

}  // namespace
}  // namespace outrider::decode
