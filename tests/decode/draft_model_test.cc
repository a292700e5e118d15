#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "runtime/base/stopwatch.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "tests/decode/drafter_with_model.h"
#include "tests/support/results_of.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

using test::DraftModel;
using test::TinyEngine;

constexpr int kContext = 200;
constexpr int kRoomOfDrafts = 64;

DecodeResult decode_with(engine::Engine& engine, draft::Drafter* drafter,
                         const sampling::SamplerOptions& options) {
  Decoder decoder(engine, kContext);
  sampling::Sampler sampler(options, engine.config().vocab, 11);
  return decoder.decode(test::random_tokens(25, engine.config().vocab, 4), sampler, drafter,
                        {.max_new = 80});
}

class NoiseOfTheTarget
    : public testing::TestWithParam<std::pair<const char*, sampling::SamplerOptions>> {};

// q = p: whatever the options, the drafter's choices are the target's own.
TEST_P(NoiseOfTheTarget, HasEveryDraftOfTheTargetItselfAccepted) {
  TinyEngine target(model::WeightType::kQ4_1, 1, 1), draft(model::WeightType::kQ4_1, 1, 1);
  const auto plain = decode_with(target.engine, nullptr, GetParam().second);
  for (const int width : {1, 3}) {
    DraftModel drafter(draft.engine, kContext + kRoomOfDrafts, 4, width);
    const auto drafted = decode_with(target.engine, &drafter, GetParam().second);
    EXPECT_EQ(drafted.tokens, plain.tokens);
    EXPECT_EQ(drafted.stats.passes, (80 - 1 + 4) / 5);
    EXPECT_EQ(drafted.stats.accepted, 80 - 1 - drafted.stats.passes);
    if (width == 1) {
      EXPECT_EQ(drafted.stats.accepted, drafted.stats.drafted);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options, NoiseOfTheTarget,
    testing::Values(std::pair{"greedy", sampling::SamplerOptions{}},
                    std::pair{"T07", sampling::SamplerOptions{.temperature = 0.7}},
                    std::pair{"T1", sampling::SamplerOptions{.temperature = 1}},
                    std::pair{"top_p", sampling::SamplerOptions{.temperature = 1, .top_p = 0.8}},
                    std::pair{"penalties", sampling::SamplerOptions{.temperature = 1,
                                                                    .repetition_penalty = 1.3,
                                                                    .presence_penalty = 0.5,
                                                                    .frequency_penalty = 0.4}},
                    std::pair{"greedy_penalties",
                              sampling::SamplerOptions{.frequency_penalty = 0.7}},
                    std::pair{"everything", test::every_sampler_option()}),
    [](const auto& one) { return one.param.first; });

TEST(DraftModel, OfAnotherModelChangesNoToken) {
  int accepted = 0;
  for (const std::uint64_t seed : {2u, 3u}) {
    TinyEngine target(model::WeightType::kQ4_1, 1, 1), draft(model::WeightType::kF32, seed, 1);
    for (const auto& options : {sampling::SamplerOptions{}, test::every_sampler_option()}) {
      const auto plain = decode_with(target.engine, nullptr, options);
      for (const int width : {1, 4}) {
        DraftModel drafter(draft.engine, kContext + kRoomOfDrafts, 5, width);
        const auto drafted = decode_with(target.engine, &drafter, options);
        EXPECT_EQ(drafted.tokens, plain.tokens);
        EXPECT_GT(drafter.passes, 2 * drafted.stats.passes);
        accepted += drafted.stats.accepted;
      }
    }
  }
  EXPECT_GE(accepted, 5);
}

TEST(DraftModel, KeepsItsOwnCacheFromTurnToTurn) {
  TinyEngine target(model::WeightType::kF32, 1, 1), draft(model::WeightType::kF32, 1, 1);
  Decoder decoder(target.engine, kContext);
  DraftModel drafter(draft.engine, kContext + kRoomOfDrafts, 4, 1);
  sampling::Sampler sampler({.temperature = 1}, target.engine.config().vocab, 3);
  auto text = test::random_tokens(30, target.engine.config().vocab, 5);
  for (int turn = 0; turn < 3; ++turn) {
    const auto result = decoder.decode(text, sampler, &drafter, {.max_new = 21});
    EXPECT_EQ(result.stats.passes, 4) << "turn " << turn;
    text.insert(text.end(), result.tokens.begin(), result.tokens.end());
    // An answer that ended inside a draft, and one that is taken back.
    text.resize(text.size() - (turn == 1 ? 7 : 0));
    text.push_back(static_cast<Token>(turn));
  }
}

/// Several drafters in one tree: what one proposes first is shared by those that propose it too.
class Merged : public draft::Drafter {
 public:
  explicit Merged(std::vector<draft::Drafter*> parts) : parts_(std::move(parts)) {
    for (const draft::Drafter* part : parts_) seconds_.push_back({part->name(), 0});
  }

  std::string name() const override { return "merged"; }
  draft::DrafterReport report(double seconds) const override {
    double sum = 0;
    for (const draft::DrafterSeconds& part : seconds_) sum += part.seconds;
    auto divided = seconds_;
    for (draft::DrafterSeconds& part : divided) part.seconds *= seconds / sum;
    return {std::move(divided), {}};
  }
  int begin(const draft::TextStart& text) override {
    int kept = text.kept;
    for (draft::Drafter* part : parts_) kept = std::min(kept, part->start(text));
    return kept;
  }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    own_nodes_.assign(parts_.size(), {});
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Stopwatch watch;
      draft::TokenTree own(tree.token(0), {tree.limits().depth, 8});
      parts_[i]->draft(context, own);
      std::vector<int> shared = {0};  // of each node of its own
      for (int node = 1; node < own.size(); ++node) {
        const int parent = shared[static_cast<std::size_t>(own.parent(node))];
        shared.push_back(tree.add(parent, own.token(node), own.origin(node)));
        own_nodes_[i][shared.back()] = node;
      }
      seconds_[i].seconds += watch.seconds();
    }
    tokens_.clear();
    for (int node = 0; node < tree.size(); ++node) tokens_.push_back(tree.token(node));
  }
  void verified(std::span<const int> accepted, Token next) override {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      std::vector<int> own;
      std::size_t n = 0;
      for (; n < accepted.size() && own_nodes_[i].count(accepted[n]) > 0; ++n)
        own.push_back(own_nodes_[i].at(accepted[n]));
      const bool all = n == accepted.size();
      parts_[i]->verified(own, all ? next : tokens_[static_cast<std::size_t>(accepted[n])]);
    }
  }

 private:
  std::vector<draft::Drafter*> parts_;
  std::vector<draft::DrafterSeconds> seconds_;
  std::vector<std::map<int, int>> own_nodes_;  // [parts] of nodes of the shared tree
  std::vector<Token> tokens_;                  // of nodes of the shared tree
};

TEST(Merged, SeveralDraftersShareATreeAndTheirTimeIsTold) {
  TinyEngine target(model::WeightType::kQ4_1, 1, 1), draft(model::WeightType::kQ4_1, 1, 1);
  DraftModel model(draft.engine, kContext + kRoomOfDrafts, 2, 1);
  draft::Pld pld({.ngram = 1, .draft_length = 4, .published = true});
  Merged merged({&pld, &model});
  const auto plain = decode_with(target.engine, nullptr, {});
  const auto drafted = decode_with(target.engine, &merged, {});
  EXPECT_EQ(drafted.tokens, plain.tokens);
  // Two tokens of the model's are accepted in every pass, more where prompt lookup is right.
  EXPECT_LE(drafted.stats.passes, (80 - 1 + 2) / 3);
  EXPECT_GT(drafted.stats.drafted, 2 * drafted.stats.passes);
  ASSERT_EQ(drafted.stats.draft_seconds.size(), 2U);
  EXPECT_EQ(drafted.stats.draft_seconds[0].name, "pld");
  EXPECT_EQ(drafted.stats.draft_seconds[1].name, "draft-model");
  EXPECT_GT(drafted.stats.draft_seconds[1].seconds, drafted.stats.draft_seconds[0].seconds);
  const auto copies = test::results_of(drafted, "pld"),
             draws = test::results_of(drafted, "draft-model");
  EXPECT_GT(copies.drafted, 0);
  EXPECT_GT(draws.drafted, 0);
  EXPECT_EQ(copies.drafted + draws.drafted, drafted.stats.drafted);
  EXPECT_EQ(copies.accepted + draws.accepted, drafted.stats.accepted);
  double verified = 0, sampled = 0, other = 0;
  for (const draft::DrafterResults& one : drafted.stats.by_drafter) {
    EXPECT_GT(one.verify_seconds, 0) << one.name;
    verified += one.verify_seconds;
    sampled += one.sample_seconds;
    other += one.other_seconds;
  }
  EXPECT_NEAR(verified, drafted.stats.verify_seconds, 1e-9);
  EXPECT_NEAR(sampled, drafted.stats.sample_seconds, 1e-9);
  double drafting = 0;
  for (const draft::DrafterSeconds& one : drafted.stats.draft_seconds) drafting += one.seconds;
  const double left = drafted.stats.decode_seconds - drafting - verified - sampled;
  EXPECT_GT(other, 0);
  EXPECT_LE(other, left);
}

}  // namespace
}  // namespace outrider::decode
