#include <gtest/gtest.h>

#include <string>

#include "runtime/decode/decode_loop.h"
#include "runtime/draft/gsd/gsd_drafter.h"
#include "tests/decode/every_verdict.h"
#include "tests/decode/texts.h"
#include "tests/decode/trimmed_draft.h"

namespace outrider::decode {
namespace {

using draft::DraftGraph;
using sampling::SamplerOptions;

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
        ASSERT_EQ(children,
                  std::min(GetParam().children,
                           static_cast<int>(tree_.drawn_from(tree_node_of(node))->tokens.size())));
      }
    }
    EXPECT_EQ(tree_.size(), graph.size());
  }
  int tree_node_of(int node) const {
    for (int i = 0; i < tree_.size(); ++i)
      if (drafter_.unmerging().node_of(i) == node) return i;
    return -1;
  }

  test::TinyEngine tiny_{model::WeightType::kQ8_0, 2, 1};
  model::Model small_ = test::shallow_model(tiny_.model, std::vector<int>{1}, test::kDraftable);
  std::vector<Token> prompt_ = {9, 3, 3, 8};
  sampling::TokenCounts counts_{std::vector<Token>{3, 3}};  // of the few tokens those of the prompt
  test::EveryChance draws_;
  draft::GsdDrafter drafter_{engine::make_engine(small_, {.threads = 1}),
                             {.steps = GetParam().steps,
                              .children = GetParam().children,
                              .pruning = GetParam().pruning,
                              .nodes = GetParam().nodes,
                              .verification = draft::Verification::kRejection,
                              .chance = &draws_,
                              .target_vocab = test::kFewTokens,
                              .head_tokens = test::kDraftable}};
  test::EveryVerdict verdicts_{GetParam().options, prompt_, counts_, GetParam().steps};
  draft::TokenTree tree_{0};
  int pruned_ = 0, cut_ = 0;
};

TEST_P(EveryWay, TogetherGiveTheTargetsDistributionExactly) {
  draws_.for_each([&] { draw_tree(); },
                  [&](double drawn) {
                    check_groups();
                    verdicts_.verify(tree_, drawn);
                  });
  verdicts_.compare();
  const bool has_siblings = GetParam().children > 1;
  EXPECT_EQ(verdicts_.later_children() > 0, has_siblings);
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
  std::unique_ptr<draft::GsdDrafter> drafter(engine::Engine& engine, draft::Pruning pruning,
                                             draft::Verification verification, int steps = 4,
                                             int nodes = 20) {
    return std::make_unique<draft::GsdDrafter>(
        shared(engine), draft::GsdDrafterOptions{.steps = steps,
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
  EXPECT_THROW(draft::GsdDrafter(shared(*trimmed_),
                                 {.tau = 1, .verification = draft::Verification::kRejection}),
               std::logic_error);
}

}  // namespace
}  // namespace outrider::decode
