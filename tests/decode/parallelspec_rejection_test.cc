#include <gtest/gtest.h>

#include <map>
#include <string>

#include "runtime/draft/parallelspec/depth_drafts.h"
#include "runtime/sampling/cpu_chooser.h"
#include "tests/decode/every_verdict.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

using draft::ParallelSpecModel;
using draft::TokenTree;
using sampling::SamplerOptions;

struct DrawnTree {
  std::string name;
  ParallelSpecModel::Flavour flavour;
  SamplerOptions options;
  std::vector<int> widths;
  int length;
  double threshold = 0;
  draft::DraftLimits limits = {};
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for this name.
void PrintTo(const DrawnTree& one, std::ostream* out) { *out << one.name; }

/// Drafts from logits that depend on the depth or, token by token, on all tokens before.
class DrawnDrafts : public draft::Drafter {
 public:
  DrawnDrafts(const ParallelSpecModel& model, const engine::ScoreKernels& kernels,
              draft::ParallelSpecDrafterOptions options)
      : by_path_(model.drafts_one_by_one()),
        drafts_(model, std::move(options),
                std::make_unique<sampling::CpuChooser>(
                    sampling::HeadVocabulary(test::kDraftable, test::kFewTokens, test::kFewTokens),
                    kernels, 0)) {
    logits_.of = [this](int depth, int i) -> engine::LogitsRow {
      const std::vector<Token> path = by_path_ && depth > 0
                                          ? paths_.at(first_ + static_cast<std::size_t>(i))
                                          : std::vector<Token>(static_cast<std::size_t>(depth), 7);
      engine::Logits& logits = known_[path];
      if (logits.rows() == 0) {
        std::uint64_t seed = 5;
        for (const Token token : path) seed = seed * 29 + static_cast<std::uint64_t>(token) + 3;
        std::mt19937_64 random(seed);
        std::normal_distribution<float> normal(0, 0.5F);
        const int width = static_cast<int>(test::kDraftable.size());
        float* const row = logits.on_host(1, width, test::kDraftable.size());
        for (int n = 0; n < width; ++n) row[n] = normal(random);
      }
      return {&logits, 0};
    };
    logits_.forward = [this](std::span<const draft::ParallelSpecPasses::DraftedRow> rows) {
      const std::size_t first = paths_.size();
      for (const auto& [token, parent] : rows) {
        std::vector<Token> path = {token};
        if (parent >= 0) {
          const auto& above = paths_.at(static_cast<std::size_t>(parent));
          path.insert(path.end(), above.begin(), above.end());
        }
        paths_.push_back(std::move(path));
      }
      first_ = first;
    };
  }

  std::string name() const override { return "drawn"; }
  draft::DrafterTraits traits() const override {
    return {.verification = draft::Verification::kRejection};
  }
  void fill(const draft::DraftContext& context, TokenTree& tree) override {
    paths_.clear();
    drafts_.run(context, drafts_.most_of(tree.limits()), logits_, tree);
  }

 private:
  bool by_path_;
  draft::DepthDrafts drafts_;
  draft::DepthDrafts::Logits logits_;
  std::map<std::vector<Token>, engine::Logits> known_;  // after a path
  std::vector<std::vector<Token>> paths_;               // of the rows of drafted tokens
  std::size_t first_ = 0;                               // of the rows forwarded last
};

/// Every way in which a tree can be drawn and verified, with its probability.
class EveryDrawnTree : public testing::TestWithParam<DrawnTree> {
 protected:
  static ParallelSpecModel model() {
    ParallelSpecModel made;
    made.flavour = GetParam().flavour;
    made.layer.config.vocab = test::kFewTokens;
    made.layer.config.width = 1;
    made.layer.head_tokens = test::kDraftable;
    if (!made.drafts_one_by_one()) made.mask_embeddings.resize(4);
    return made;
  }

  /// That a node has all of its children or none.
  void check_groups(const TokenTree& tree) {
    for (int node = 0; node < tree.size(); ++node) {
      int children = 0;
      for (int child = tree.first_child(node); child != TokenTree::kNone;
           child = tree.next_sibling(child))
        EXPECT_EQ(tree.origin(child).rank, children++);
      const int depth = tree.depth(node);
      if (children == 0) {
        cut_ += depth < GetParam().length;
        continue;
      }
      const auto width = depth < std::ssize(GetParam().widths)
                             ? GetParam().widths[static_cast<std::size_t>(depth)]
                             : 1;
      ASSERT_EQ(children, std::min(width, static_cast<int>(tree.drawn_from(node)->tokens.size())));
    }
  }

  std::vector<Token> prompt_ = {9, 3, 3, 8};
  sampling::TokenCounts counts_{std::vector<Token>{3, 3}};  // of the few tokens those of the prompt
  test::EveryChance draws_;
  ParallelSpecModel model_ = model();
  test::TinyEngine tiny_{model::WeightType::kQ8_0, 1, 1};
  DrawnDrafts drafter_{model_,
                       tiny_.engine.score_kernels(),
                       {.length = GetParam().length,
                        .widths = GetParam().widths,
                        .threshold = GetParam().threshold,
                        .verification = draft::Verification::kRejection,
                        .chance = &draws_}};
  test::EveryVerdict verdicts_{GetParam().options, prompt_, counts_, GetParam().length};
  TokenTree tree_{0};
  int cut_ = 0;
};

TEST_P(EveryDrawnTree, TogetherGiveTheTargetsDistributionExactly) {
  draws_.for_each(
      [&] {
        tree_.restart(prompt_.back(), GetParam().limits);
        drafter_.draft({prompt_, {GetParam().options, 0, counts_}}, tree_);
      },
      [&](double drawn) {
        check_groups(tree_);
        verdicts_.verify(tree_, drawn);
      });
  verdicts_.compare();
  EXPECT_EQ(verdicts_.later_children() > 0, !GetParam().widths.empty());
  EXPECT_EQ(cut_ > 0, GetParam().name.find("cut") != std::string::npos);
}

constexpr auto kByDepth = ParallelSpecModel::Flavour::kEagle;
constexpr auto kByNode = ParallelSpecModel::Flavour::kEagleAr;

INSTANTIATE_TEST_SUITE_P(
    ParallelRejection, EveryDrawnTree,
    testing::Values(
        DrawnTree{"chain", kByDepth, {.temperature = 0.7}, {}, 4},
        DrawnTree{"two_of_three", kByDepth, {.temperature = 0.7}, {2, 2}, 2},
        DrawnTree{"all_tokens", kByDepth, {.temperature = 1.2}, {3, 2}, 2},
        DrawnTree{"as_in_the_paper", kByDepth, {.temperature = 1, .top_k = 2}, {3, 2, 1}, 3},
        DrawnTree{"narrower_below", kByDepth, {.temperature = 0.5}, {2}, 3},
        DrawnTree{"penalised", kByDepth, {.temperature = 0.5, .frequency_penalty = 0.6}, {2, 2}, 2},
        DrawnTree{"nodes_cut", kByDepth, {.temperature = 0.7}, {2, 2}, 2, 0, {.nodes = 5}},
        DrawnTree{"chain_by_node", kByNode, {.temperature = 0.7}, {}, 4},
        DrawnTree{"two_of_three_by_node", kByNode, {.temperature = 0.7}, {2, 2}, 2},
        DrawnTree{"narrower_below_by_node", kByNode, {.temperature = 0.5}, {2}, 3},
        DrawnTree{"as_in_the_paper_by_node", kByNode, {.temperature = 1, .top_k = 2}, {3, 2, 1}, 3},
        // Whether there is a second depth depends on which token was drawn first.
        DrawnTree{"improbable_cut_by_node", kByNode, {.temperature = 0.7}, {2, 2}, 2, 0.18},
        DrawnTree{"nodes_cut_by_node", kByNode, {.temperature = 0.7}, {2, 2}, 2, 0, {.nodes = 5}}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace outrider::decode
