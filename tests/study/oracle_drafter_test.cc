#include "data/study/oracle_drafter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "data/study/draft_outcomes.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/model/model_drafter.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "tests/support/shallow_model.h"
#include "tests/support/tiny_engine.h"

namespace outrider::study {
namespace {

constexpr int kNew = 80;

class OracleDrafterTest : public testing::Test {
 protected:
  std::unique_ptr<draft::Drafter> longest_rounds() const {
    return std::make_unique<draft::ModelDrafter>(
        draft_, draft::make_stop_policy({"static", kNew}),
        draft::ModelDrafterOptions{
            .longest = kNew, .target_vocab = vocab(), .head_tokens = head_tokens_});
  }
  int vocab() const { return target_.engine.config().vocab; }

  decode::DecodeResult decode(draft::Drafter* drafter, const sampling::SamplerOptions& options) {
    decode::Decoder decoder(target_.engine, 200);
    return decoder.decode(prompt_, {options, vocab(), kSeed}, drafter, {.max_new = kNew});
  }

  /// What is accepted of the draft model's tokens along an answer.
  std::vector<std::uint8_t> accepted_along(const std::vector<Token>& answer,
                                           const sampling::SamplerOptions& options) {
    std::vector<Token> text = prompt_;
    text.insert(text.end(), answer.begin(), answer.end());
    const sampling::TokenCounts counts(prompt_);
    std::vector<std::uint8_t> accepted;
    DraftOutcomes(target_.engine, *draft_, head_tokens_, draft::Verification::kCoupled)
        .of(text, static_cast<int>(prompt_.size()), {options, kSeed, counts},
            [&](const draft::DraftedToken&, bool is_accepted) { accepted.push_back(is_accepted); });
    return accepted;
  }

  static constexpr std::uint64_t kSeed = 11;
  test::TinyEngine target_{model::WeightType::kQ4_1, 1, 2};
  std::vector<Token> head_tokens_ = test::every_token(vocab(), 1, 2);
  model::Model shallow_ = test::shallow_model(target_.model, std::vector<int>{1}, head_tokens_);
  std::shared_ptr<engine::Engine> draft_ = target_.engine.beside(shallow_, {});
  std::vector<Token> prompt_ = test::random_tokens(25, vocab(), 4);
};

// Mamou et al. 2024, section 2: the fewest passes of both models.
TEST_F(OracleDrafterTest, HasEveryDraftAcceptedInTheFewestPasses) {
  int accepted = 0, rounds_without = 0;
  for (const sampling::SamplerOptions& options :
       {sampling::SamplerOptions{}, {.temperature = 1}, test::every_sampler_option()}) {
    const std::vector<Token> plain = decode(nullptr, options).tokens;
    OracleDrafter oracle(longest_rounds(), accepted_along(plain, options));
    const decode::DecodeResult found = decode(&oracle, options);
    EXPECT_EQ(found.tokens, plain);
    EXPECT_EQ(found.stats.accepted, found.stats.drafted);
    EXPECT_EQ(found.stats.passes, decode(longest_rounds().get(), options).stats.passes);
    const auto& rounds = found.stats.by_pass;
    const auto without = std::count_if(rounds.begin(), rounds.end(),
                                       [](const auto& round) { return round.drafted == 0; });
    rounds_without += static_cast<int>(without);
    accepted += found.stats.accepted;
    const auto& counts = found.stats.draft_counts;
    EXPECT_TRUE(std::any_of(counts.begin(), counts.end(), [&](const draft::DrafterCount& one) {
      return one.name == draft::ModelDrafter::kRounds && one.count == std::ssize(rounds) - without;
    })) << "rounds without a draft cost nothing";
  }
  EXPECT_GT(accepted, 20);
  EXPECT_GT(rounds_without, 20);
}

/// Drafts as far as it may, and counts what it is told.
class Numbers : public draft::Drafter {
 public:
  std::string name() const override { return "numbers"; }
  void fill(const draft::DraftContext&, draft::TokenTree& tree) override {
    tree.add_chain(0, std::vector<Token>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
  void verified(std::span<const int> accepted, Token) override {
    told.push_back(static_cast<int>(accepted.size()));
  }
  std::vector<int> told;
};

TEST(OracleDrafter, DraftsWhatIsAcceptedInARow) {
  auto inner = std::make_unique<Numbers>();
  const Numbers& numbers = *inner;
  OracleDrafter oracle(std::move(inner), {1, 1, 0, 1, 1, 1});
  oracle.start(std::vector<Token>{5, 5, 5}, 0);
  const auto drafted = [&](std::size_t generated, const draft::DraftLimits& limits = {}) {
    const std::vector<Token> text(3 + generated, 5);
    draft::TokenTree tree(text.back(), limits);
    oracle.draft({text}, tree);
    EXPECT_FALSE(tree.is_cut() && limits.nodes > tree.num_drafted());
    std::vector<int> nodes;
    for (int node = 1; node < tree.size(); ++node) nodes.push_back(node);
    oracle.verified(nodes, 5);
    return tree.num_drafted();
  };
  EXPECT_EQ(drafted(1), 2);
  EXPECT_EQ(drafted(2), 1);
  EXPECT_EQ(drafted(3), 0);
  EXPECT_EQ(drafted(4), 3);
  EXPECT_EQ(drafted(4, {.depth = 2}), 2);
  EXPECT_EQ(drafted(4, {.nodes = 1}), 1);
  EXPECT_EQ(drafted(7), 0);
  EXPECT_EQ(drafted(9), 0) << "beyond what is known";
  EXPECT_EQ(numbers.told, (std::vector<int>{2, 1, 3, 2, 1})) << "of its own rounds only";
}

}  // namespace
}  // namespace outrider::study
