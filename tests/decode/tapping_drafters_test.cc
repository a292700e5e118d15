#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_plus_a_drafter.h"
#include "runtime/draft/copy/pld_plus_h_drafter.h"
#include "tests/support/draft_of.h"
#include "tests/support/random_tree.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

using draft::TokenTree;

/// Asks a drafter that observes the loop's passes, and compares its draft with that of a new one which
/// observes a single pass over the whole text. Hides the draft in a tree of wrong guesses.
class FreshComparison : public draft::Drafter {
 public:
  using Make = std::function<std::unique_ptr<draft::Drafter>()>;

  FreshComparison(engine::Engine& engine, Make make, std::uint64_t seed)
      : engine_(engine), make_(std::move(make)), asked_(make_()), random_(seed) {}

  std::string name() const override { return asked_->name(); }
  int begin(const draft::TextStart& text) override { return asked_->start(text); }
  draft::DrafterTraits traits() const override { return {.wants = asked_->traits().wants}; }
  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override {
    rows_observed += static_cast<int>(rows.kept.size());
    asked_->observe(pass, rows);
  }
  void verified(std::span<const int> nodes, Token /*next*/) override {
    accepted += static_cast<int>(nodes.size());
  }

  void fill(const draft::DraftContext& context, TokenTree& tree) override {
    const std::span<const Token> committed = context.committed;
    const TokenTree draft = test::draft_of(*asked_, committed);
    compare(draft, anew(committed));
    if (draft.num_drafted() > 0) ++drafts;
    const int nodes = 1 + static_cast<int>(random_() % 7);
    const TokenTree wrong = test::random_tree(
        committed.back(), {.vocab = engine_.config().vocab, .nodes = nodes}, random_);
    std::vector<int> placed = {0};  // of every wrong node, or of its deepest ancestor
    for (int node = 1; node < wrong.size(); ++node) {
      const int parent = placed[static_cast<std::size_t>(wrong.parent(node))];
      placed.push_back(tree.add_chain(parent, std::vector<Token>{wrong.token(node)}));
    }
    int parent = 0;
    for (int node = 1; node < draft.size(); ++node)
      parent = tree.add_chain(parent, std::vector<Token>{draft.token(node)});
  }

  int drafts = 0;
  int accepted = 0;
  int rows_observed = 0;

 private:
  TokenTree anew(std::span<const Token> committed) {
    const auto drafter = make_();
    const auto cache = engine_.make_cache(static_cast<int>(committed.size()));
    engine::Pass pass;
    pass.sequences = {cache.get()};
    pass.request = drafter->traits().wants;
    pass.add_chain(0, committed.first(committed.size() - 1), false);
    pass.rows.back().wants_logits = true;
    engine_.forward(pass);
    std::vector<int> rows;
    for (int row = 0; row + 1 < static_cast<int>(committed.size()); ++row) rows.push_back(row);
    cache->commit(rows);
    drafter->start(committed, 0);
    drafter->observe(pass, {rows});
    return test::draft_of(*drafter, committed);
  }

  static void compare(const TokenTree& mine, const TokenTree& theirs) {
    ASSERT_EQ(mine.size(), theirs.size());
    for (int node = 0; node < mine.size(); ++node) {
      EXPECT_EQ(mine.token(node), theirs.token(node));
      EXPECT_EQ(mine.depth(node), theirs.depth(node));
    }
  }

  engine::Engine& engine_;
  Make make_;
  std::unique_ptr<draft::Drafter> asked_;
  std::mt19937_64 random_;
};

FreshComparison::Make make_h(int layer, double logit_weight = 0) {
  return [layer, logit_weight] {
    return std::make_unique<draft::PldPlusH>(
        draft::PldPlusHOptions{.layer = layer, .draft_length = 4, .logit_weight = logit_weight});
  };
}

FreshComparison::Make make_a(draft::Aggregation aggregation) {
  return [aggregation] {
    return std::make_unique<draft::PldPlusA>(draft::PldPlusAOptions{
        .heads = {{2, 1}, {1, 3}, {2, 0}}, .aggregation = aggregation, .draft_length = 4});
  };
}

/// Text of few words, so that there is much to copy.
std::vector<Token> wordy(int length, std::uint64_t seed) {
  return test::random_tokens(length, 12, seed);
}

struct Case {
  const char* name;
  FreshComparison::Make make;
};

class TappingDrafters : public testing::TestWithParam<Case> {};

TEST_P(TappingDrafters, DraftFromTheLoopsPassesAsFromOnePassOverTheWholeText) {
  int drafts = 0, accepted = 0;
  for (const std::uint64_t seed : {1u, 2u}) {
    test::TinyEngine target(model::WeightType::kQ4_1, seed, 1);
    const int vocab = target.engine.config().vocab;
    for (const sampling::SamplerOptions& options :
         {sampling::SamplerOptions(), sampling::SamplerOptions{.temperature = 0.8}}) {
      for (const auto& [chunk, words] : {std::pair{1, false}, {7, false}, {64, false}, {7, true}}) {
        const auto prompt = wordy(40, seed);
        sampling::Sampler sampler(options, vocab, seed);
        DecodeLimits limits = {.max_new = 40, .prefill_chunk = chunk};
        // A target of few words has much to copy from.
        if (words) limits.given = wordy(40, seed + 10);
        Decoder plain(target.engine, 200);
        Decoder decoder(target.engine, 200);
        FreshComparison fresh(target.engine, GetParam().make, seed);
        const DecodeResult drafted = decoder.decode(prompt, sampler, &fresh, limits);
        EXPECT_EQ(drafted.tokens, plain.decode(prompt, sampler, nullptr, limits).tokens);
        // Each kept row once: all but the text's last token. Attention is not observed in a whole prompt.
        if (fresh.traits().wants.heads.empty()) {
          EXPECT_EQ(fresh.rows_observed, 40 + 39);
        }
        drafts += fresh.drafts;
        accepted += fresh.accepted;
      }
    }
  }
  EXPECT_GE(drafts, 40);
  EXPECT_GE(accepted, 10);
}

TEST_P(TappingDrafters, KnowTheEarlierTurns) {
  test::TinyEngine target(model::WeightType::kF32, 3, 1);
  const int vocab = target.engine.config().vocab;
  sampling::Sampler sampler({}, vocab, 1);
  Decoder decoder(target.engine, 300);
  FreshComparison fresh(target.engine, GetParam().make, 1);
  auto text = wordy(30, 4);
  for (int turn = 0; turn < 3; ++turn) {
    const DecodeResult result = decoder.decode(text, sampler, &fresh, {.max_new = 15});
    text.insert(text.end(), result.tokens.begin(), result.tokens.end());
    for (const Token token : wordy(9, static_cast<std::uint64_t>(turn))) text.push_back(token);
  }
  EXPECT_GE(fresh.drafts, 10);
  // Nothing was forwarded twice.
  EXPECT_EQ(fresh.rows_observed, static_cast<int>(text.size()) - 9 - 1);
  // A plain answer between two drafted ones: its rows are missing, and so forwarded again.
  const DecodeResult plain = decoder.decode(text, sampler, nullptr, {.max_new = 15});
  text.insert(text.end(), plain.tokens.begin(), plain.tokens.end());
  const DecodeResult drafted = decoder.decode(text, sampler, &fresh, {.max_new = 15});
  EXPECT_EQ(drafted.stats.prefilled_rows, fresh.traits().wants.heads.empty() ? 15 + 9 + 1 : 1);
}

TEST_P(TappingDrafters, DraftTheSameForTheSamePromptAgain) {
  test::TinyEngine target(model::WeightType::kF32, 3, 1);
  sampling::Sampler sampler({}, target.engine.config().vocab, 1);
  Decoder decoder(target.engine, 300);
  FreshComparison fresh(target.engine, GetParam().make, 1);
  const auto prompt = wordy(40, 4);
  for (int sample = 0; sample < 3; ++sample) {
    const DecodeResult result = decoder.decode(prompt, sampler, &fresh, {.max_new = 30});
    EXPECT_EQ(result.stats.prefilled_rows, sample == 0 ? 40 : 1);
  }
  EXPECT_GE(fresh.drafts, 10);
}

INSTANTIATE_TEST_SUITE_P(All, TappingDrafters,
                         testing::Values(Case{"h_embedding", make_h(0)}, Case{"h_1", make_h(1)},
                                         Case{"h_2", make_h(2)}, Case{"h_logits", make_h(1, 3)},
                                         Case{"a_max", make_a(draft::Aggregation::kMax)},
                                         Case{"a_sum", make_a(draft::Aggregation::kSum)}),
                         [](const auto& one) { return one.param.name; });

/// Requests nothing, so that `observe` must not be called.
class ObservesNothing : public draft::Drafter {
 public:
  std::string name() const override { return "observes-nothing"; }
  void fill(const draft::DraftContext&, TokenTree&) override {}
  void observe(const engine::Pass&, const draft::ObservedRows&) override { FAIL(); }
};

TEST(TappingDrafters, OthersAreNotShownAnything) {
  test::TinyEngine target(model::WeightType::kF32, 3, 1);
  sampling::Sampler sampler({}, target.engine.config().vocab, 1);
  Decoder decoder(target.engine, 100);
  ObservesNothing blind;
  decoder.decode(wordy(30, 4), sampler, &blind, {.max_new = 15});
}

}  // namespace
}  // namespace outrider::decode
