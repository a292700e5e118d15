#include "data/study/draft_outcomes.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/shallow_model.h"
#include "tests/support/tiny_engine.h"

namespace outrider::study {
namespace {

using draft::Verification;

class DraftOutcomesTest : public testing::Test {
 protected:
  struct Found {
    std::vector<std::int64_t> positions;
    std::vector<float> log_q;
    std::vector<std::uint8_t> accepted;
  };

  int vocab() const { return target_.engine.config().vocab; }

  Found outcomes(Verification verification, const sampling::SamplerOptions& options,
                 std::uint64_t seed) {
    DraftOutcomes of(target_.engine, *draft_, head_, verification);
    Found found;
    of.of(text_, kPrompt, {options, seed, sampling::TokenCounts(prompt(options))},
          [&](const draft::DraftedToken& token, bool is_accepted) {
            found.positions.push_back(token.index);
            found.log_q.push_back(token.log_q);
            found.accepted.push_back(is_accepted);
          });
    return found;
  }
  /// The tokens that are counted.
  std::span<const Token> prompt(const sampling::SamplerOptions& options) const {
    return std::span(text_).first(options.uses_counts() ? kPrompt : 0);
  }

  /// The mean of 1 - TV over the text's tokens after the first, each from a pass of its own.
  double mean_acceptance(const sampling::SamplerOptions& options) {
    sampling::TokenChoice of_target(vocab()), of_draft(head_);
    sampling::TokenCounts counts{prompt(options)};
    sampling::Distribution p, q;
    double sum = 0;
    const std::size_t first = kPrompt + 1;
    for (std::size_t at = first; at < text_.size(); ++at) {
      if (options.uses_counts()) counts.add(text_[at - 1]);
      const sampling::SequenceSampling sampling = {options, 0, counts};
      of_target.distribute(sampling, last_row(target_.engine, at), p);
      of_draft.distribute(sampling, last_row(*draft_, at), q);
      sum += sampling::mean_acceptance(p, q);
    }
    return sum / static_cast<double>(text_.size() - first);
  }
  std::vector<float> last_row(engine::Engine& engine, std::size_t tokens) {
    const auto cache = engine.make_cache(static_cast<int>(text_.size()));
    engine::Pass pass;
    pass.sequences = {cache.get()};
    pass.add_chain(0, std::span(text_).first(tokens), true);
    engine.forward(pass);
    const auto logits = pass.row_logits(static_cast<int>(tokens) - 1);
    return {logits.begin(), logits.end()};
  }

  static constexpr int kPrompt = 30;
  test::TinyEngine target_{model::WeightType::kQ4_1, 1, 1};
  std::vector<Token> head_ = test::every_token(vocab(), 2, 3);
  model::Model shallow_ = test::shallow_model(target_.model, std::vector<int>{1}, head_);
  std::unique_ptr<engine::Engine> draft_ = engine::make_engine(shallow_, {.threads = 1});
  std::vector<Token> text_ = test::random_tokens(110, vocab(), 4);
};

TEST_F(DraftOutcomesTest, RejectionKeepsAsManyTokensAsTheDistributionsHaveInCommon) {
  for (const sampling::SamplerOptions& options :
       {sampling::SamplerOptions{.temperature = 1}, test::every_sampler_option()}) {
    double kept = 0, all = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
      for (const std::uint8_t one : outcomes(Verification::kRejection, options, seed).accepted) {
        kept += one;
        ++all;
      }
    EXPECT_NEAR(kept / all, mean_acceptance(options), 0.02) << options.temperature;
  }
}

TEST_F(DraftOutcomesTest, AreOfTheTokensAfterTheFirst) {
  for (const auto verification : {Verification::kCoupled, Verification::kRejection}) {
    const Found found = outcomes(verification, {.temperature = 1}, 1);
    ASSERT_EQ(found.positions.size(), 79u);
    EXPECT_EQ(found.positions.front(), 1);
    EXPECT_EQ(found.positions.back(), 79);
  }
}

TEST_F(DraftOutcomesTest, BothVerificationsAreTheSameAtTemperature0) {
  const Found coupled = outcomes(Verification::kCoupled, {}, 1);
  const Found rejected = outcomes(Verification::kRejection, {}, 1);
  EXPECT_EQ(coupled.accepted, rejected.accepted);
  EXPECT_EQ(coupled.log_q, rejected.log_q);
  EXPECT_NE(outcomes(Verification::kCoupled, {.temperature = 1}, 1).log_q,
            outcomes(Verification::kRejection, {.temperature = 1}, 1).log_q)
      << "noise of its own";
}

}  // namespace
}  // namespace outrider::study
