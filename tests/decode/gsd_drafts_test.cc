#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/draft/copy_first.h"
#include "runtime/draft/forwarding_drafter.h"
#include "runtime/draft/gsd/gsd_drafter.h"
#include "runtime/draft/ngram/context_ngram_drafter.h"
#include "runtime/draft/with_sources.h"
#include "tests/decode/trimmed_draft.h"
#include "tests/support/results_of.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

using sampling::SamplerOptions;

constexpr int kRoom = 260;
constexpr int kTokens = 60;

class GsdDrafterDecoding : public test::TrimmedDraft {
 protected:
  std::unique_ptr<draft::GsdDrafter> drafter(engine::Engine& engine, int tau,
                                             draft::Pruning pruning, int nodes = 40,
                                             int children = 3) const {
    return std::make_unique<draft::GsdDrafter>(
        shared(engine), draft::GsdDrafterOptions{.steps = 6,
                                                 .children = children,
                                                 .pruning = pruning,
                                                 .nodes = nodes,
                                                 .tau = tau,
                                                 .target_vocab = vocab(),
                                                 .head_tokens = head_tokens(engine)});
  }

  DecodeResult decode(draft::Drafter* drafter, const SamplerOptions& options,
                      int tokens = kTokens) {
    Decoder decoder(target_.engine, kRoom);
    return decoder.decode(prompt_, {options, vocab(), 11}, drafter, {.max_new = tokens});
  }

  static std::int64_t count(const DecodeResult& result, const std::string& name) {
    for (const draft::DrafterCount& one : result.stats.draft_counts)
      if (one.name == name) return one.count;
    return -1;
  }
};

// q = p: the first child of every node is the target's own choice, so the tree's depth is accepted.
TEST_F(GsdDrafterDecoding, HasTheFirstChildrenOfTheTargetItselfAccepted) {
  for (const SamplerOptions& options : test::kinds_of_sampling()) {
    const DecodeResult plain = decode(nullptr, options);
    const auto own = drafter(target_.engine, 0, {0, 1, 0});  // the likeliest sibling is expanded
    const DecodeResult drafted = decode(own.get(), options);
    EXPECT_EQ(drafted.tokens, plain.tokens);
    EXPECT_EQ(count(drafted, "accepted_children_1"), drafted.stats.accepted);
    // Also where noise prefers another token than the likeliest: one is accepted at least.
    EXPECT_GE(drafted.stats.accepted, drafted.stats.passes - 1);
    EXPECT_EQ(count(drafted, "accepted_copies"), 0);
    EXPECT_EQ(count(drafted, "merged_nodes"), 0);
    EXPECT_EQ(count(drafted, "rounds_with_merged_nodes"), 0);
    // A filter may leave fewer than three.
    EXPECT_GE(3 * count(drafted, "verified_children_1"), drafted.stats.drafted);
  }
  // Without pruning every level is drafted, to the last.
  const auto own = drafter(target_.engine, 0, {0, 0, 0}, 2000, 2);
  const DecodeResult drafted = decode(own.get(), {.temperature = 1}, 22);
  EXPECT_EQ(drafted.tokens, decode(nullptr, {.temperature = 1}, 22).tokens);
  EXPECT_EQ(drafted.stats.passes, 3);
  EXPECT_EQ(drafted.stats.accepted, 18);
}

// Also after copies, accepted or not, which the draft model did not draft.
TEST_F(GsdDrafterDecoding, HasTheTargetsOwnChoicesAfterCopies) {
  std::int64_t copied = 0, rounds = 0;
  for (const SamplerOptions& options : test::kinds_of_sampling()) {
    for (const int tau : {0, 1}) {
      draft::CopyFirst both(
          std::make_unique<draft::Pld>(draft::PldOptions{.draft_length = 3, .shortest = 2}),
          drafter(target_.engine, tau, {0, 1, 0}));
      const DecodeResult drafted = decode(&both, options, 200);
      EXPECT_EQ(drafted.tokens, decode(nullptr, options, 200).tokens);
      const auto drawn = test::results_of(drafted, tau == 0 ? "tsd" : "gsd");
      EXPECT_GE(drawn.accepted, drawn.passes);
      copied += test::results_of(drafted, "pld").accepted;
      rounds += drawn.passes;
    }
  }
  EXPECT_GT(copied, 30);
  EXPECT_GT(rounds, 30);
}

// Whether the model proposes what others do or not, and whether branches are merged.
TEST_F(GsdDrafterDecoding, WithOtherSourcesChangesNoToken) {
  constexpr int kLonger = 120;
  const struct {
    engine::Engine* engine;
    int tau;
  } drafting[] = {{&target_.engine, 1}, {trimmed_.get(), 0}, {trimmed_.get(), 2}};
  std::int64_t copied = 0, of_ngrams = 0, drawn = 0;
  for (const SamplerOptions& options : test::kinds_of_sampling()) {
    const DecodeResult plain = decode(nullptr, options, kLonger);
    for (const auto& [engine, tau] : drafting) {
      std::vector<std::unique_ptr<draft::Drafter>> sources;
      sources.push_back(std::make_unique<draft::Pld>(draft::PldOptions{.draft_length = 5}));
      sources.push_back(std::make_unique<draft::ContextNgram>(
          draft::ContextNgramOptions{.query = 1, .draft_length = 3, .drafts = 4}));
      draft::WithSources both(std::move(sources), drafter(*engine, tau, {0.01, 0.1, 0}));
      const DecodeResult drafted = decode(&both, options, kLonger);
      EXPECT_EQ(drafted.tokens, plain.tokens);
      const auto lookup = test::results_of(drafted, "pld");
      const auto ngrams = test::results_of(drafted, "context-ngram");
      const auto model = test::results_of(drafted, both.name());
      EXPECT_EQ(lookup.drafted + ngrams.drafted + model.drafted, drafted.stats.drafted);
      EXPECT_EQ(lookup.accepted + ngrams.accepted + model.accepted, drafted.stats.accepted);
      copied += lookup.accepted;
      of_ngrams += ngrams.accepted;
      drawn += model.accepted;
    }
  }
  EXPECT_GT(copied, 50);
  EXPECT_GT(of_ngrams, 10);
  EXPECT_GT(drawn, 100);
}

TEST_F(GsdDrafterDecoding, OfALesserModelChangesNoToken) {
  std::int64_t accepted = 0, rejected = 0;
  for (const SamplerOptions& options : test::kinds_of_sampling()) {
    const DecodeResult plain = decode(nullptr, options);
    for (int tau = 0; tau < 3; ++tau) {
      const draft::Pruning prunings[] = {{0.02, 0.3, 0}, {0, 0, 0}, {0.01, 0.1, 0.001}};
      const auto lesser = drafter(*trimmed_, tau, prunings[tau]);
      const DecodeResult drafted = decode(lesser.get(), options);
      EXPECT_EQ(drafted.tokens, plain.tokens) << tau;
      accepted += drafted.stats.accepted;
      rejected += drafted.stats.drafted - drafted.stats.accepted;
      EXPECT_EQ(count(drafted, "accepted_nodes"), drafted.stats.accepted);
      EXPECT_LE(count(drafted, "drafted_nodes"), 40 * count(drafted, "rounds"));
      std::int64_t verified = 0, followed = 0;
      for (const std::string rank : {"1", "2", "3"}) {
        verified += count(drafted, "verified_children_" + rank);
        followed += count(drafted, "accepted_children_" + rank);
      }
      EXPECT_EQ(verified, drafted.stats.drafted);
      EXPECT_EQ(followed, drafted.stats.accepted);
      EXPECT_LE(count(drafted, "rounds_with_merged_nodes"), count(drafted, "merged_nodes"));
      if (tau == 0) {
        EXPECT_EQ(count(drafted, "drafted_nodes"), drafted.stats.drafted);
      }
    }
  }
  EXPECT_GE(accepted, 100);
  EXPECT_GE(rejected, 100);
}

// Copies are accepted, at any temperature, and the draft's cache is filled up after them.
TEST_F(GsdDrafterDecoding, HasCopiesAccepted) {
  std::int64_t copies = 0;
  for (const SamplerOptions& options : test::kinds_of_sampling()) {
    const DecodeResult plain = decode(nullptr, options, 200);
    const auto own = drafter(target_.engine, 1, {0, 0, 0});
    const DecodeResult drafted = decode(own.get(), options, 200);
    EXPECT_EQ(drafted.tokens, plain.tokens);
    EXPECT_GT(count(drafted, "merged_nodes"), 50);
    EXPECT_GT(count(drafted, "rounds_with_merged_nodes"), 10);
    EXPECT_GT(count(drafted, "accepted_copies"), 0);
    EXPECT_GT(count(drafted, "rounds_with_accepted_copies"), 0);
    copies += count(drafted, "accepted_copies");
  }
  EXPECT_GE(copies, 25);
}

/// Asks for the usual room only.
class WithLessRoom : public draft::ForwardingDrafter {
 public:
  using ForwardingDrafter::ForwardingDrafter;
  draft::DrafterTraits traits() const override {
    draft::DrafterTraits traits = ForwardingDrafter::traits();
    traits.most_nodes = draft::DrafterTraits::kUsualNodes;
    return traits;
  }
};

// 3 + 9 + 27 + 81 + 243 + 729 nodes.
TEST_F(GsdDrafterDecoding, HasRoomForLargeTreesAndCountsThoseThatAreCut) {
  constexpr int kNodes = 1092;
  const DecodeResult plain = decode(nullptr, {}, 30);
  const auto whole = drafter(target_.engine, 0, {0, 0, 0}, kNodes);
  EXPECT_EQ(whole->traits().most_nodes, kNodes);
  const DecodeResult of_whole = decode(whole.get(), {}, 30);
  EXPECT_EQ(of_whole.tokens, plain.tokens);
  EXPECT_EQ(of_whole.stats.by_pass.front().drafted, kNodes);
  EXPECT_EQ(of_whole.stats.cut_rounds, 0) << "the last ones are less deep, and whole";

  WithLessRoom less(drafter(target_.engine, 0, {0, 0, 0}, kNodes));
  const DecodeResult of_less = decode(&less, {}, 30);
  EXPECT_EQ(of_less.tokens, plain.tokens);
  EXPECT_EQ(of_less.stats.by_pass.front().drafted,
            kRoom + draft::DrafterTraits::kUsualNodes - static_cast<int>(prompt_.size()) - 1);
  const auto is_full = [&](const PassDraft& pass) { return pass.drafted > 364; };
  EXPECT_EQ(of_less.stats.cut_rounds,
            std::count_if(of_less.stats.by_pass.begin(), of_less.stats.by_pass.end(), is_full));
  EXPECT_GT(of_less.stats.cut_rounds, 1);

  // A budget of its own cuts nothing.
  const auto small = drafter(target_.engine, 0, {0, 0, 0}, 20);
  EXPECT_EQ(small->traits().most_nodes, draft::DrafterTraits::kUsualNodes);
  const DecodeResult of_small = decode(small.get(), {}, 30);
  EXPECT_EQ(of_small.stats.by_pass.front().drafted, 20);
  EXPECT_EQ(of_small.stats.cut_rounds, 0);
}

// What follows a merged node may be longer than what was drafted.
TEST_F(GsdDrafterDecoding, HasPathsLongerThanItsLevelsWhereAsked) {
  int longest[2] = {0, 0};
  for (const SamplerOptions& options : test::kinds_of_sampling()) {
    const DecodeResult plain = decode(nullptr, options, 200);
    for (const bool is_deeper : {false, true}) {
      draft::GsdDrafter own(shared(target_.engine), {.steps = 3,
                                                     .depth = is_deeper ? 12 : 0,
                                                     .children = 3,
                                                     .pruning = {0, 0, 0},
                                                     .nodes = 60,
                                                     .tau = 1,
                                                     .target_vocab = vocab()});
      const DecodeResult drafted = decode(&own, options, 200);
      EXPECT_EQ(drafted.tokens, plain.tokens);
      for (const PassDraft& pass : drafted.stats.by_pass)
        longest[is_deeper] = std::max(longest[is_deeper], pass.accepted);
    }
  }
  EXPECT_EQ(longest[0], 3);
  EXPECT_GT(longest[1], 3);
  EXPECT_LE(longest[1], 12);
}

TEST_F(GsdDrafterDecoding, GoesOnFromTurnToTurn) {
  const SamplerOptions options = {.temperature = 1, .frequency_penalty = 0.3};
  const auto own = drafter(target_.engine, 1, {0.01, 0.1, 0});
  Decoder decoder(target_.engine, kRoom);
  const sampling::Sampler sampler(options, vocab(), 3);
  std::vector<Token> text = prompt_;
  for (int turn = 0; turn < 4; ++turn) {
    const DecodeResult result = decoder.decode(text, sampler, own.get(), {.max_new = 21});
    Decoder fresh(target_.engine, kRoom);
    EXPECT_EQ(fresh.decode(text, sampler, nullptr, {.max_new = 21}).tokens, result.tokens);
    const auto another = drafter(target_.engine, 1, {0.01, 0.1, 0});
    Decoder alone(target_.engine, kRoom);
    // What the caches hold of the turns before changes no draft.
    EXPECT_EQ(alone.decode(text, sampler, another.get(), {.max_new = 21}).stats.drafted,
              result.stats.drafted);
    text.insert(text.end(), result.tokens.begin(), result.tokens.end());
    if (turn == 1) text.resize(text.size() - 7);
  }
}

}  // namespace
}  // namespace outrider::decode
