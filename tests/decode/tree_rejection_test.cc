#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "runtime/decode/decode_loop.h"
#include "runtime/decode/verify.h"
#include "runtime/draft/graph/tree_drafter.h"
#include "tests/decode/texts.h"
#include "tests/decode/trimmed_draft.h"
#include "tests/support/every_chance.h"

namespace outrider::decode {
namespace {

using draft::DraftGraph;
using sampling::SamplerOptions;

/// Tokens 0 to 4, of which the draft model has three and the target lacks some, others after every text.
constexpr int kFewTokens = 5;
const std::vector<Token> kDraftable = {1, 3, 4};

std::vector<float> logits_of_target(const std::vector<Token>& text) {
  std::uint64_t seed = 1;
  for (const Token token : text) seed = seed * 31 + static_cast<std::uint64_t>(token) + 1;
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, 0.4f);
  std::vector<float> logits(kFewTokens);
  for (float& one : logits)
    one = random() % 8 == 0 ? -std::numeric_limits<float>::infinity() : normal(random);
  logits[random() % kFewTokens] = 0;  // one is left at least
  return logits;
}

struct TreeCase {
  std::string name;
  SamplerOptions options;
  int children;
  draft::Pruning pruning;
  int nodes;
  int steps;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for this name.
void PrintTo(const TreeCase& one, std::ostream* out) { *out << one.name; }

/// Every way in which a tree can be drawn and verified, with its probability.
class EveryWay : public testing::TestWithParam<TreeCase> {
 protected:
  void draw_tree() {
    // Of what was read before, all but the last token.
    drafter_.start(std::span(prompt_).first(prompt_.size() - 1), 0);
    tree_.restart(prompt_.back());
    drafter_.draft({prompt_, {GetParam().options, 0, counts_}}, tree_);
  }

  void verify_draft() {
    text_.clear();
    sampling::TokenCounts counts = counts_;
    const auto choose = [&](int node) {
      const auto position = static_cast<std::int64_t>(prompt_.size() + text_.size());
      return choice_.choose({GetParam().options, 0, counts}, logits_of_target(text_), position,
                            tree_, node, drafter_);
    };
    const auto take = [&](Token token, const draft::Origin& origin) {
      text_.push_back(token);
      counts.add(token);
      later_children_ += origin.rank > 0;
      return true;
    };
    deepest_ = std::max(deepest_, decode::verify(tree_, verifier_, choose, take).accepted());
  }

  /// That the children of every node are all there or none is, and why none is.
  void check_groups() {
    const DraftGraph& graph = drafter_.graph();
    for (int node = 0; node < graph.size(); ++node) {
      int children = 0;
      for (int child = graph.first_child(node); child != DraftGraph::kNone;
           child = graph.next_sibling(child))
        EXPECT_EQ(graph.rank(child), children++);
      if (children == 0) {
        pruned_ += !graph.is_open(node) && graph.depth(node) < GetParam().steps;
        cut_ += graph.is_open(node);
      } else {
        ASSERT_EQ(
            children,
            std::min(GetParam().children,
                     static_cast<int>(drafter_.drawn_from(tree_node_of(node)).tokens.size())));
      }
    }
    EXPECT_EQ(tree_.size(), graph.size());
  }
  int tree_node_of(int node) const {
    for (int i = 0; i < tree_.size(); ++i)
      if (drafter_.unmerging().node_of(i) == node) return i;
    return -1;
  }

  /// Compares all texts of a length that begin with `text`.
  /// @param exact    the probability of `text`
  /// @param reached  that of drafts whose verification ended in it, decoding plainly from where it ended
  void compare(std::vector<Token>& text, double exact, double reached) {
    if (std::ssize(text) == GetParam().steps + 1) {
      EXPECT_NEAR(reached, exact, 1e-12);
      ++compared_;
      return;
    }
    sampling::TokenCounts counts = counts_;
    for (const Token token : text) counts.add(token);
    sampling::Distribution p;
    sampling::TokenChoice(kFewTokens)
        .distribute({GetParam().options, 0, counts}, logits_of_target(text), p);
    for (Token token = 0; token < kFewTokens; ++token) {
      text.push_back(token);
      const double ended = found_.contains(text) ? found_.at(text) : 0;
      if (p.of(token) > 0)
        compare(text, exact * p.of(token), reached * p.of(token) + ended);
      else
        EXPECT_EQ(ended, 0) << "the target never gives it";
      text.pop_back();
    }
  }

  test::TinyEngine tiny_{model::WeightType::kQ8_0, 2, 1};
  model::Model small_ = test::shallow_model(tiny_.model, std::vector<int>{1}, kDraftable);
  std::vector<Token> prompt_ = {9, 3, 3, 8};
  sampling::TokenCounts counts_{std::vector<Token>{3, 3}};  // of the few tokens those of the prompt
  test::EveryChance draws_, verdicts_;
  draft::TreeDrafter drafter_{engine::make_engine(small_, {.threads = 1}),
                              {.steps = GetParam().steps,
                               .children = GetParam().children,
                               .pruning = GetParam().pruning,
                               .nodes = GetParam().nodes,
                               .verification = draft::Verification::kRejection,
                               .chance = &draws_,
                               .target_vocab = kFewTokens,
                               .head_tokens = kDraftable}};
  RejectionChoice choice_{kFewTokens, &verdicts_};
  draft::TokenTree tree_{0};
  decode::Verifier verifier_;
  std::vector<Token> text_;
  std::map<std::vector<Token>, double> found_;
  int pruned_ = 0, cut_ = 0, deepest_ = 0, later_children_ = 0, compared_ = 0;
};

TEST_P(EveryWay, TogetherGiveTheTargetsDistributionExactly) {
  draws_.for_each([&] { draw_tree(); },
                  [&](double drawn) {
                    check_groups();
                    verdicts_.for_each([&] { verify_draft(); },
                                       [&](double verified) { found_[text_] += drawn * verified; });
                  });
  std::vector<Token> text;
  compare(text, 1, 0);
  EXPECT_GT(compared_, 1);
  EXPECT_EQ(deepest_, GetParam().steps) << "what is so deep is not tested";
  const bool has_siblings = GetParam().children > 1;
  EXPECT_EQ(later_children_ > 0, has_siblings);
  EXPECT_EQ(pruned_ > 0, !(GetParam().pruning == draft::Pruning{0, 0, 0}));
  EXPECT_EQ(cut_ > 0, GetParam().name.find("cut") != std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    TreeRejection, EveryWay,
    testing::Values(
        TreeCase{"chain", {.temperature = 0.2}, 1, {0, 0, 0}, 5, 5},
        TreeCase{"likeliest_expanded", {.temperature = 0.2}, 2, {0, 1, 0}, 10, 5},
        TreeCase{"all_tokens", {.temperature = 0.2}, 3, {0, 1, 0}, 15, 5},
        TreeCase{"siblings_pruned_cut", {.temperature = 0.3}, 2, {0, 0.6, 0}, 11, 5},
        TreeCase{"improbable_pruned_cut", {.temperature = 0.2}, 2, {0.07, 0, 0}, 9, 3},
        TreeCase{"paths_pruned_cut", {.temperature = 0.2}, 2, {0, 0, 0.02}, 9, 3},
        TreeCase{"fewer_than_children", {.temperature = 0.5, .top_k = 2}, 3, {0, 0, 0}, 14, 3},
        TreeCase{
            "penalised_cut", {.temperature = 0.5, .frequency_penalty = 0.6}, 2, {0, 0, 0}, 9, 3}),
    [](const auto& one) { return one.param.name; });

class TreeRejection : public test::TrimmedDraft {
 protected:
  std::unique_ptr<draft::TreeDrafter> drafter(engine::Engine& engine, draft::Pruning pruning,
                                              draft::Verification verification, int steps = 4,
                                              int nodes = 20) {
    return std::make_unique<draft::TreeDrafter>(
        shared(engine), draft::TreeDrafterOptions{.steps = steps,
                                                  .children = 3,
                                                  .pruning = pruning,
                                                  .nodes = nodes,
                                                  .verification = verification,
                                                  .target_vocab = vocab(),
                                                  .head_tokens = head_tokens(engine)});
  }
  DecodeResult decode(draft::Drafter& drafter, const SamplerOptions& options) {
    Decoder decoder(target_.engine, 200);
    return decoder.decode(prompt_, {options, vocab(), 11}, &drafter, {.max_new = 80});
  }
};

TEST_F(TreeRejection, IsTheSameAtTemperatureZero) {
  for (engine::Engine* const engine : {&target_.engine, trimmed_.get()}) {
    for (const SamplerOptions& options : {SamplerOptions{}, {.frequency_penalty = 0.7}}) {
      const draft::Pruning pruning = {0, 0.5, 0};
      const auto coupled = drafter(*engine, pruning, draft::Verification::kCoupled);
      const auto rejecting = drafter(*engine, pruning, draft::Verification::kRejection);
      const DecodeResult expected = decode(*coupled, options);
      const DecodeResult found = decode(*rejecting, options);
      EXPECT_EQ(found.tokens, expected.tokens);
      EXPECT_EQ(found.stats.accepted, expected.stats.accepted);
      EXPECT_EQ(found.stats.drafted, expected.stats.drafted);
    }
  }
}

// q = p: the first child drawn is always accepted.
TEST_F(TreeRejection, AcceptsEveryFirstChildOfTheTargetItself) {
  for (const SamplerOptions& options :
       {SamplerOptions{.temperature = 1},
        {.temperature = 0.7, .top_p = 0.7},
        {.temperature = 1, .top_k = 9, .repetition_penalty = 1.3, .frequency_penalty = 0.4}}) {
    const auto own = drafter(target_.engine, {0, 0, 0}, draft::Verification::kRejection, 2, 12);
    const DecodeResult result = decode(*own, options);
    EXPECT_EQ(result.stats.accepted + result.stats.passes, 79);
    EXPECT_EQ(result.stats.passes, 27) << "three tokens in every pass but the last";
  }
}

TEST_F(TreeRejection, TextsHaveTheTargetsDistribution) {
  const SamplerOptions options = {.temperature = 1.5, .top_k = 3, .frequency_penalty = 1};
  for (const int nodes : {7, 20}) {
    const auto lesser = drafter(*trimmed_, {0, 0.5, 0}, draft::Verification::kRejection, 3, nodes);
    const auto tokens =
        test::expect_distribution_of_target(target_.engine, *lesser, prompt_, options, 2000);
    EXPECT_GT(tokens.accepted, 100);
    EXPECT_LT(tokens.accepted, tokens.drafted);
  }
}

TEST_F(TreeRejection, IsNotForGraphs) {
  EXPECT_THROW(draft::TreeDrafter(shared(*trimmed_),
                                  {.tau = 1, .verification = draft::Verification::kRejection}),
               std::logic_error);
}

}  // namespace
}  // namespace outrider::decode
