#include "runtime/draft/gsd/gsd_drafter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tests/draft/counting_engine.h"
#include "tests/support/shallow_model.h"
#include "tests/support/tiny_engine.h"

namespace outrider::draft {
namespace {

using sampling::SamplerOptions;

constexpr int kSteps = 5;

class GsdDrafterTest : public testing::Test {
 protected:
  std::unique_ptr<GsdDrafter> drafter(int tau, Pruning pruning = {0, 0, 0}, int nodes = 80) {
    return std::make_unique<GsdDrafter>(counting_, GsdDrafterOptions{.steps = kSteps,
                                                                     .children = 3,
                                                                     .pruning = pruning,
                                                                     .nodes = nodes,
                                                                     .tau = tau,
                                                                     .target_vocab = vocab(),
                                                                     .head_tokens = head_});
  }
  int vocab() const { return tiny_.engine.config().vocab; }

  static std::int64_t count(const GsdDrafter& drafter, const std::string& name) {
    for (const DrafterCount& one : drafter.report(0).counts)
      if (one.name == name) return one.count;
    return -1;
  }

  template <typename Shape>
  static std::vector<int> path_to(const Shape& shape, int node) {
    std::vector<int> path;
    for (; node != 0; node = shape.parent(node)) path.insert(path.begin(), node);
    return path;
  }

  /// Logits after the text and the path to a node of a graph, of the tokens that can be drafted.
  std::vector<float> logits_after(const DraftGraph& graph, int node) {
    std::vector<Token> tokens = text_;
    for (const int one : path_to(graph, node)) tokens.push_back(graph.token(one));
    const auto cache = counting_->make_cache(200);
    engine::Pass pass;
    pass.sequences = {cache.get()};
    pass.add_chain(0, tokens, false);
    pass.rows.back().wants_logits = true;
    counting_->forward(pass);
    const auto logits = pass.row_logits(0);
    return {logits.begin(), logits.end()};
  }

  test::TinyEngine tiny_{model::WeightType::kQ4_1, 1, 1};
  std::vector<Token> head_ = test::every_token(vocab(), 1, 2);
  model::Model shallow_ = test::shallow_model(tiny_.model, std::vector<int>{1, 2}, head_);
  std::unique_ptr<engine::Engine> trimmed_ = engine::make_engine(shallow_, {.threads = 1});
  std::shared_ptr<test::CountingEngine> counting_ =
      std::make_shared<test::CountingEngine>(*trimmed_);
  std::vector<Token> text_ = test::random_tokens(30, vocab(), 3);
};

// Drafted or copied, at its own depth and along its own path, after a round as in the first one.
TEST_F(GsdDrafterTest, RanksWhatFollowsANodeAsTheTargetWouldInItsPlace) {
  int copies = 0, moved = 0;
  for (const SamplerOptions& options :
       {SamplerOptions{},
        {.temperature = 1, .top_k = 8},
        {.temperature = 0.7, .top_k = 20, .top_p = 0.7},
        {.frequency_penalty = 3},
        {.temperature = 1, .top_k = 6, .repetition_penalty = 1.5, .frequency_penalty = 0.5}}) {
    const auto drafter = this->drafter(1);
    text_.resize(30);
    drafter->start(text_, 0);
    sampling::TokenCounts counts(text_);
    for (int round = 0; round < 3; ++round) {
      TokenTree tree(text_.back());
      drafter->draft({text_, {options, 5, counts}}, tree);
      const DraftGraph& graph = drafter->graph();
      const Unmerging& unmerging = drafter->unmerging();
      for (int node = 0; node < tree.size(); ++node) {
        if (tree.first_child(node) == TokenTree::kNone) continue;
        const int like = graph.followed_like(unmerging.node_of(node));
        const std::vector<float> logits = logits_after(graph, like);
        sampling::TokenCounts along = counts;
        for (const int one : path_to(tree, node)) along.add(tree.token(one));
        std::vector<sampling::RankedToken> expected;
        sampling::TokenChoice(head_).rank({options, 5, along}, logits,
                                          std::ssize(text_) + tree.depth(node), 3, expected);
        double sum = 0;
        for (const float z : logits) sum += std::exp(static_cast<double>(z));
        for (int child = tree.first_child(node); child != TokenTree::kNone;
             child = tree.next_sibling(child)) {
          const auto& one = expected.at(static_cast<std::size_t>(unmerging.rank_of(child)));
          EXPECT_EQ(tree.token(child), one.token) << "below " << node << " in round " << round;
          const auto row = std::lower_bound(head_.begin(), head_.end(), one.token) - head_.begin();
          const double raw =
              static_cast<double>(logits[static_cast<std::size_t>(row)]) - std::log(sum);
          EXPECT_NEAR(tree.origin(child).log_q, options.temperature > 0 ? one.score : raw, 1e-4);
          copies += unmerging.is_copy(child);
          moved += tree.depth(node) != graph.depth(like);
        }
      }
      // A path to one of the last nodes is accepted.
      const std::vector<int> accepted = path_to(tree, tree.size() - 1 - round);
      drafter->verified(accepted, 7);
      for (const int node : accepted) text_.push_back(tree.token(node));
      text_.push_back(7);
      for (const Token token : std::span(text_).last(accepted.size() + 1)) counts.add(token);
    }
  }
  EXPECT_GT(copies, 60);
  EXPECT_GT(moved, 60);
}

TEST_F(GsdDrafterTest, ForwardsNoTokenTwice) {
  for (const int tau : {0, 1}) {
    text_.resize(30);
    const auto drafter = this->drafter(tau);
    drafter->start(text_, 0);
    int unread = 30, copies = 0;
    for (const int from_last : {0, 3, 1, 20, 7, 2}) {
      counting_->rows.clear();
      TokenTree tree(text_.back());
      drafter->draft({text_}, tree);
      EXPECT_EQ(counting_->rows.front(), unread);
      int forwarded = 0;
      for (std::size_t i = 1; i < counting_->rows.size(); ++i) forwarded += counting_->rows[i];
      int open = 0;
      const DraftGraph& graph = drafter->graph();
      for (int node = 1; node < graph.size(); ++node) open += graph.is_open(node);
      EXPECT_EQ(forwarded, open);
      const std::vector<int> accepted = path_to(tree, tree.size() - 1 - from_last);
      unread = 1;
      for (const int node : accepted) {
        const bool is_copy = drafter->unmerging().is_copy(node);
        copies += is_copy;
        unread += is_copy || !graph.is_open(drafter->unmerging().node_of(node));
        text_.push_back(tree.token(node));
      }
      drafter->verified(accepted, 7);
      text_.push_back(7);
    }
    EXPECT_EQ(count(*drafter, "accepted_copies"), copies);
    EXPECT_EQ(copies > 0, tau > 0);
    EXPECT_EQ(count(*drafter, "prefilled_tokens"), 30);
    EXPECT_EQ(count(*drafter, "rounds"), 6);
  }
}

TEST_F(GsdDrafterTest, DraftsAfterAnyPastWhatItDraftsWithoutOne) {
  const auto shape_of = [](const TokenTree& tree) {
    std::vector<std::pair<int, Token>> shape;
    for (int node = 0; node < tree.size(); ++node)
      shape.emplace_back(tree.parent(node), tree.token(node));
    return shape;
  };
  const auto drafter = this->drafter(1, {0.001, 0.1, 0});
  drafter->start(text_, 0);
  for (const int from_last : {0, 4, 1, 9, 2, 0}) {
    TokenTree tree(text_.back()), again(text_.back());
    drafter->draft({text_}, tree);
    const auto fresh = this->drafter(1, {0.001, 0.1, 0});
    fresh->start(text_, 0);
    fresh->draft({text_}, again);
    EXPECT_EQ(shape_of(tree), shape_of(again));
    const std::vector<int> accepted = path_to(tree, std::max(0, tree.size() - 1 - from_last));
    drafter->verified(accepted, 3);
    for (const int node : accepted) text_.push_back(tree.token(node));
    text_.push_back(3);
  }
}

TEST_F(GsdDrafterTest, PrunesByProbabilitySiblingAndPath) {
  int pruned = 0, kept = 0;
  for (const Pruning& pruning :
       {Pruning{0.006, 0, 0}, {0, 0.9, 0}, {0, 0, 1e-5}, {0.005, 0.8, 1e-6}}) {
    for (const SamplerOptions& options : {SamplerOptions{}, {.temperature = 1, .top_k = 200}}) {
      const auto drafter = this->drafter(0, pruning, 2000);
      drafter->start(text_, 0);
      const sampling::TokenCounts counts({});
      TokenTree tree(text_.back());
      drafter->draft({text_, {options, 5, counts}}, tree);
      const DraftGraph& graph = drafter->graph();
      EXPECT_EQ(tree.size(), graph.size()) << "pruned nodes are verified too";
      for (int node = 1; node < graph.size(); ++node) {
        if (graph.depth(node) == kSteps) continue;
        double largest = 0;
        for (int i = graph.first_child(graph.parent(node)); i != DraftGraph::kNone;
             i = graph.next_sibling(i))
          largest = std::max(largest, std::exp(graph.log_q(i)));
        const double q = std::exp(graph.log_q(node));
        const bool is_pruned = q < pruning.probability || q < pruning.sibling * largest ||
                               std::exp(graph.log_path(node)) < pruning.path;
        EXPECT_EQ(graph.is_open(node), !is_pruned);
        (is_pruned ? pruned : kept) += 1;
      }
    }
  }
  EXPECT_GT(pruned, 50);
  EXPECT_GT(kept, 50);
}

TEST_F(GsdDrafterTest, KeepsToItsLimitsThoseOfTheTreeAndItsContext) {
  const auto drafter = this->drafter(1);
  for (const DraftLimits& limits : {DraftLimits{2, 100}, {100, 5}, {1, 1}, {3, 17}, {100, 1000}}) {
    drafter->start(std::span(text_).first(20), 0);
    TokenTree tree(text_.back(), limits);
    drafter->draft({text_}, tree);
    EXPECT_GT(tree.num_drafted(), 0);
    EXPECT_LE(tree.num_drafted(), std::min(80, limits.nodes));
    EXPECT_LE(drafter->graph().num_drafted(), std::min(80, limits.nodes));
    for (int node = 0; node < tree.size(); ++node)
      EXPECT_LE(tree.depth(node), std::min(kSteps, limits.depth));
  }
  const int context = counting_->config().context;
  for (const auto& [tokens, depth] :
       {std::pair{context - 3, 4}, {context - 1, 2}, {context, 1}, {context + 1, 0}}) {
    const auto text = test::random_tokens(tokens, vocab(), 1);
    drafter->start({}, 0);
    TokenTree tree(text.back());
    drafter->draft({text}, tree);
    int deepest = 0;
    for (int node = 0; node < tree.size(); ++node) deepest = std::max(deepest, tree.depth(node));
    EXPECT_EQ(deepest, depth);
    drafter->verified({}, 0);
  }
}

TEST_F(GsdDrafterTest, DividesItsTime) {
  const auto drafter = this->drafter(1);
  drafter->start(text_, 0);
  TokenTree tree(text_.back());
  drafter->draft({text_}, tree);
  const auto divided = drafter->report(100).seconds;
  ASSERT_EQ(divided.size(), 3u);
  EXPECT_EQ(divided[0].name, "gsd");
  EXPECT_EQ(divided[1].name, "gsd-prefill");
  EXPECT_EQ(divided[2].name, "gsd-other");
  EXPECT_GT(divided[2].seconds, 0);
  EXPECT_DOUBLE_EQ(divided[0].seconds + divided[1].seconds + divided[2].seconds, 100);
  EXPECT_EQ(this->drafter(0)->name(), "tsd");
}

}  // namespace
}  // namespace outrider::draft
