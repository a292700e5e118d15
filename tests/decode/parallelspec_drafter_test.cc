#include "runtime/draft/parallelspec/parallelspec_drafter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/draft/copy_first.h"
#include "runtime/draft/parallelspec/medusa_heads_drafter.h"
#include "runtime/engine/forward_text.h"
#include "tests/decode/plain_parallelspec.h"
#include "tests/decode/texts.h"
#include "tests/support/results_of.h"
#include "tests/support/tiny_engine.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::decode {
namespace {

using draft::ParallelSpecModel;
using Flavour = ParallelSpecModel::Flavour;

std::vector<double> log_softmax(const std::vector<double>& logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - largest);
  std::vector<double> out;
  for (const double logit : logits) out.push_back(logit - largest - std::log(sum));
  return out;
}

std::vector<std::vector<float>> engine_states(engine::Engine& target, std::span<const Token> text) {
  std::vector<std::vector<float>> states;
  engine::forward_text(target, text.first(text.size() - 1),
                       {.request = {.layers = {engine::kFinalNorm}}},
                       [&](const engine::Pass& pass, int) {
                         for (int row = 0; row < std::ssize(pass.rows); ++row) {
                           const auto state = pass.observed.state(engine::kFinalNorm, row);
                           states.emplace_back(state.begin(), state.end());
                         }
                       });
  return states;
}

/// Compares every draft of a drafter with the plain loops over the text so far.
class ComparedDrafter : public draft::Drafter {
 public:
  ComparedDrafter(std::shared_ptr<const ParallelSpecModel> model, engine::Engine& target,
                  draft::Drafter& drafter)
      : model_(std::move(model)), target_(target), drafter_(drafter) {}

  std::string name() const override { return drafter_.name(); }
  int begin(const draft::TextStart& text) override { return drafter_.start(text); }
  draft::DrafterTraits traits() const override { return {.wants = drafter_.traits().wants}; }
  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override {
    drafter_.observe(pass, rows);
  }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    drafter_.draft(context, tree);
    const auto states = engine_states(target_, context.committed);
    if (!model_->drafts_one_by_one()) {
      const auto logits = test::plain_parallelspec_logits(*model_, context.committed, states);
      for (int node = 1; node < tree.size(); ++node) compare(context, tree, node, logits);
      return;
    }
    // Of trees of EAGLE-AR one round in three: each path down to a leaf takes loops of its own.
    if (tree.num_drafted() > tree.depth(tree.size() - 1) && ++trees_ % 3 != 0) return;
    std::vector<std::uint8_t> is_compared(static_cast<std::size_t>(tree.size()));
    for (int leaf = 1; leaf < tree.size(); ++leaf) {
      if (tree.first_child(leaf) != draft::TokenTree::kNone) continue;
      const auto logits = test::plain_parallelspec_logits(*model_, context.committed, states,
                                                          path_to(tree, tree.parent(leaf)));
      for (int node = leaf; node > 0; node = tree.parent(node))
        if (auto& compared = is_compared[static_cast<std::size_t>(node)]; compared == 0) {
          compare(context, tree, node, logits);
          compared = 1;
        }
    }
  }
  void verified(std::span<const int> accepted, Token next) override {
    drafter_.verified(accepted, next);
  }
  int compared() const { return compared_; }

 private:
  /// The drafted tokens down to a node.
  static std::vector<Token> path_to(const draft::TokenTree& tree, int node) {
    std::vector<Token> path;
    for (; node > 0; node = tree.parent(node)) path.insert(path.begin(), tree.token(node));
    return path;
  }
  /// @param logits  of every depth on the path to the node
  void compare(const draft::DraftContext& context, const draft::TokenTree& tree, int node,
               const std::vector<std::vector<double>>& logits) {
    const std::vector<Token>& tokens = model_->layer.head_tokens;
    const std::vector<double>& slot = logits.at(static_cast<std::size_t>(tree.depth(node) - 1));
    const auto row = static_cast<std::size_t>(
        std::find(tokens.begin(), tokens.end(), tree.token(node)) - tokens.begin());
    ASSERT_LT(row, tokens.size());
    ASSERT_NEAR(log_softmax(slot)[row], tree.origin(node).log_q, 2e-4)
        << "depth " << tree.depth(node) << " after " << context.committed.size();
    if (context.sampling.options.temperature == 0) {
      ASSERT_LE(better_than(row, slot, context.sampling.options), tree.origin(node).rank);
    }
    ++compared_;
  }
  /// How many tokens would be chosen before that of a row of the head.
  int better_than(std::size_t row, std::vector<double> slot,
                  const sampling::SamplerOptions& options) const {
    const std::vector<Token>& tokens = model_->layer.head_tokens;
    for (std::size_t i = 0; i < slot.size(); ++i)
      for (const auto& [token, bias] : options.logit_bias) slot[i] += token == tokens[i] ? bias : 0;
    return static_cast<int>(std::count_if(slot.begin(), slot.end(),
                                          [&](double logit) { return logit > slot[row] + 1e-4; }));
  }

  std::shared_ptr<const ParallelSpecModel> model_;
  engine::Engine& target_;
  draft::Drafter& drafter_;
  int compared_ = 0;
  int trees_ = 0;
};

/// Starts a text, all of whose rows but the last the drafter is handed.
void observe_all(draft::Drafter& drafter, engine::Engine& target, std::span<const Token> text) {
  drafter.start({}, 0);
  if (drafter.traits().wants.empty()) return;
  engine::forward_text(target, text.first(text.size() - 1), {.request = drafter.traits().wants},
                       [&](const engine::Pass& pass, int) {
                         std::vector<int> rows(pass.rows.size());
                         std::iota(rows.begin(), rows.end(), 0);
                         drafter.observe(pass, {rows});
                       });
}

struct Kind {
  Flavour flavour;
  bool token_inputs;
};

class ParallelSpecDrafts : public testing::TestWithParam<Kind> {
 protected:
  std::shared_ptr<const ParallelSpecModel> model(test::TinyEngine& target, std::uint64_t seed = 3) {
    return std::make_shared<const ParallelSpecModel>(
        test::tiny_parallelspec(target.model, {GetParam().flavour, GetParam().token_inputs}, seed));
  }
  static bool drafts_one_by_one() { return GetParam().flavour == Flavour::kEagleAr; }
  static bool has_heads() { return GetParam().flavour == Flavour::kMedusaHeads; }
  /// The length of drafts: the most that three masks draft.
  static int length() { return GetParam().token_inputs ? 4 : 3; }
};

// A prompt in several passes, drafts of which some are accepted, and a second turn.
TEST_P(ParallelSpecDrafts, HaveTheLogitsOfPlainLoopsAtEverySlot) {
  test::TinyEngine target(model::WeightType::kF32, 1, 1);
  // Of so few tokens many are drafted rightly.
  const sampling::SamplerOptions options = {.logit_bias = {{1, 50}, {7, 50}}};
  const auto model = this->model(target);
  for (const draft::ParallelSpecDrafterOptions& form :
       {draft::ParallelSpecDrafterOptions{.length = length()},
        {.length = length(), .widths = {3, 2}},
        {.length = length(), .best_nodes = 9}}) {
    const auto drafter = test::parallelspec_drafter(model, target.engine, form);
    ComparedDrafter compared(model, target.engine, *drafter);
    Decoder decoder(target.engine, 200);
    std::vector<Token> text = test::random_tokens(70, target.engine.config().vocab, 5);
    int accepted = 0;
    for (const int more : {0, 9, 1}) {
      const auto added = test::random_tokens(more, target.engine.config().vocab, 6);
      text.insert(text.end(), added.begin(), added.end());
      const sampling::Sampler sampler(options, target.engine.config().vocab, 1);
      const DecodeResult plain =
          Decoder(target.engine, 200).decode(text, sampler, nullptr, {.max_new = 20});
      const DecodeResult result = decoder.decode(text, sampler, &compared, {.max_new = 20});
      ASSERT_EQ(result.tokens, plain.tokens);
      accepted += result.stats.accepted;
      text.insert(text.end(), result.tokens.begin(), result.tokens.end());
    }
    EXPECT_GT(compared.compared(), 30);
    EXPECT_GT(accepted, 0) << "nothing follows an accepted draft";
  }
}

// The rows of copies are the layer's too, whether accepted or not.
TEST_P(ParallelSpecDrafts, HaveTheLogitsOfPlainLoopsAfterCopies) {
  test::TinyEngine target(model::WeightType::kF32, 1, 1);
  const sampling::SamplerOptions options = {.temperature = 1, .logit_bias = {{1, 50}, {7, 50}}};
  const auto model = this->model(target);
  const auto drafter = test::parallelspec_drafter(model, target.engine, {.length = length()});
  auto compared = std::make_unique<ComparedDrafter>(model, target.engine, *drafter);
  const ComparedDrafter& drafts = *compared;
  draft::CopyFirst both(
      std::make_unique<draft::Pld>(draft::PldOptions{.draft_length = 3, .shortest = 6}),
      std::move(compared));
  const auto prompt = test::random_tokens(70, target.engine.config().vocab, 5);
  const sampling::Sampler sampler(options, target.engine.config().vocab, 1);
  const auto plain = Decoder(target.engine, 200).decode(prompt, sampler, nullptr, {.max_new = 100});
  const auto result = Decoder(target.engine, 200).decode(prompt, sampler, &both, {.max_new = 100});
  EXPECT_EQ(result.tokens, plain.tokens);
  const auto copies = test::results_of(result, "pld");
  EXPECT_GT(copies.accepted, 5);
  EXPECT_GT(copies.drafted, copies.accepted);
  EXPECT_GT(test::results_of(result, both.name()).passes, 5);
  EXPECT_GT(drafts.compared(), 5);
}

// Quantised, with every kind of sampling: the text is that of plain decoding.
TEST_P(ParallelSpecDrafts, GiveThePlainTextOfChainsAndTrees) {
  test::TinyEngine target(model::WeightType::kQ8_0, 1, 2);
  const auto model = this->model(target);
  const auto prompt = test::random_tokens(20, target.engine.config().vocab, 5);
  sampling::SamplerOptions few = {.temperature = 1, .logit_bias = {{1, 50}, {7, 50}, {40, 50}}};
  int accepted = 0, drafted = 0;
  for (const sampling::SamplerOptions& options :
       {sampling::SamplerOptions{}, {.temperature = 1}, few, test::every_sampler_option()}) {
    const sampling::Sampler sampler(options, target.engine.config().vocab, 1);
    const auto plain =
        Decoder(target.engine, 100).decode(prompt, sampler, nullptr, {.max_new = 40});
    for (const std::vector<int>& widths : {std::vector<int>{}, {1, 1}, {3, 2, 1}}) {
      for (const double threshold : {0.0, 0.02}) {
        const auto drafter = test::parallelspec_drafter(
            model, target.engine, {.length = length(), .widths = widths, .threshold = threshold});
        const auto result =
            Decoder(target.engine, 100).decode(prompt, sampler, drafter.get(), {.max_new = 40});
        EXPECT_EQ(result.tokens, plain.tokens);
        accepted += result.stats.accepted;
        drafted += result.stats.drafted;
      }
    }
  }
  EXPECT_GT(accepted, 60);
  EXPECT_GT(drafted, accepted);
}

// A token of the draft is the target's choice where the target has the drafter's logits.
TEST_P(ParallelSpecDrafts, AreDrawnWithTheTargetsNoiseOfTheirPosition) {
  test::TinyEngine target(model::WeightType::kF32, 1, 1);
  const auto model = this->model(target);
  const auto drafter =
      test::parallelspec_drafter(model, target.engine, {.length = length(), .widths = {2, 3}});
  const auto text = test::random_tokens(12, target.engine.config().vocab, 5);
  const auto states = engine_states(target.engine, text);
  sampling::TokenChoice choice(model->layer.head_tokens);
  const sampling::TokenCounts counts({});
  for (const sampling::SamplerOptions& options :
       {sampling::SamplerOptions{.temperature = 1}, {.temperature = 0.7, .top_k = 8}}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const sampling::SequenceSampling sampling = {options, seed, counts};
      draft::TokenTree tree(text.back(), {.depth = 50, .nodes = 100});
      observe_all(*drafter, target.engine, text);
      drafter->draft({text, sampling}, tree);
      std::vector<Token> drafted;
      for (int node = tree.first_child(0); node != draft::TokenTree::kNone;
           node = tree.first_child(node))
        drafted.push_back(tree.token(node));
      ASSERT_EQ(std::ssize(drafted), length());
      const auto slots = test::plain_parallelspec_logits(*model, text, states, drafted);
      for (std::size_t depth = 0; depth < drafted.size(); ++depth) {
        const std::vector<float> logits(slots[depth].begin(), slots[depth].end());
        EXPECT_EQ(drafted[depth],
                  choice.choose(sampling, logits, std::ssize(text) + static_cast<int>(depth)));
      }
    }
  }
}

// Rounds of several lengths, that end in the text and at its limit, and with a threshold.
TEST_P(ParallelSpecDrafts, ByRejectionTextsHaveTheTargetsDistribution) {
  test::TinyEngine target(model::WeightType::kQ4_1, 1, 1);
  const auto model = this->model(target);
  const auto prompt = test::random_tokens(6, target.engine.config().vocab, 4);
  // Three tokens that the drafter has and one that it lacks.
  const sampling::SamplerOptions options = {.temperature = 1.5,
                                            .top_k = 3,
                                            .frequency_penalty = 1,
                                            .logit_bias = {{1, 20}, {7, 20}, {40, 20}, {41, 20}}};
  for (const int length : {1, 3}) {
    for (const double threshold : {0.0, 0.05}) {
      const std::vector<int> widths = threshold > 0 ? std::vector<int>{2} : std::vector<int>{};
      const auto drafter =
          test::parallelspec_drafter(model, target.engine,
                                     {.length = length,
                                      .widths = widths,
                                      .threshold = threshold,
                                      .verification = draft::Verification::kRejection});
      const auto tokens =
          test::expect_distribution_of_target(target.engine, *drafter, prompt, options, 1500);
      EXPECT_GT(tokens.accepted, threshold == 0 ? 75 : -1);
      EXPECT_LE(tokens.accepted, tokens.drafted);
    }
  }
}

TEST_P(ParallelSpecDrafts, TellReadingTheTextFromDrafting) {
  test::TinyEngine target(model::WeightType::kQ8_0, 1, 1);
  const auto model = this->model(target);
  const auto drafter =
      test::parallelspec_drafter(model, target.engine, {.length = 2, .threshold = 0.9});
  const auto prompt = test::random_tokens(70, target.engine.config().vocab, 5);
  const sampling::Sampler sampler({}, target.engine.config().vocab, 1);
  const auto stats =
      Decoder(target.engine, 100).decode(prompt, sampler, drafter.get(), {.max_new = 20}).stats;
  EXPECT_EQ(stats.drafted, 0) << "nothing is that probable";
  std::map<std::string, std::int64_t> counts;
  for (const auto& [name, count] : stats.draft_counts) counts[name] = count;
  // No draft is made for the last token.
  EXPECT_EQ(counts["rounds"], 18);
  EXPECT_EQ(counts["stopped_by_threshold"], 18);
  EXPECT_EQ(stats.draft_seconds.at(0).name, drafter->name());
  if (has_heads()) {
    EXPECT_EQ(stats.draft_seconds.size(), 1u) << "they read no text";
    return;
  }
  ASSERT_EQ(stats.draft_seconds.size(), 2u);
  EXPECT_EQ(stats.draft_seconds[1].name, drafter->name() + "-prefill");
  EXPECT_GT(stats.draft_seconds[1].seconds, 0);
  EXPECT_EQ(counts["rows"], 17);
  const bool all = GetParam().flavour == Flavour::kMedusa && GetParam().token_inputs;
  EXPECT_EQ(counts["prefilled_tokens"], all ? 71 : 70);
}

TEST_P(ParallelSpecDrafts, RefuseWhatTheModelCannotDraft) {
  test::TinyEngine target(model::WeightType::kQ8_0, 1, 1);
  const auto model = this->model(target);
  const auto expect_refused = [&](const draft::ParallelSpecDrafterOptions& options) {
    EXPECT_THROW(test::parallelspec_drafter(model, target.engine, options), std::logic_error);
  };
  expect_refused({.length = model->most_drafts() + 1});
  expect_refused({.length = -1});
  expect_refused({.length = 2, .verification = draft::Verification::kRejection, .best_nodes = 2});
  const std::shared_ptr<engine::Engine> engine = target.engine.beside(model->layer, {});
  if (has_heads()) {
    EXPECT_THROW(draft::ParallelSpecPasses(model, engine, 1), std::logic_error);
    const std::shared_ptr<engine::Engine> residual = target.engine.beside(model->residual, {});
    draft::MedusaHeadsPasses passes(model, residual, engine);
    EXPECT_THROW(passes.forward(std::vector<float>(64), 4), std::logic_error);
    EXPECT_THROW(passes.forward(std::vector<float>(64), 0), std::logic_error);
    EXPECT_THROW(passes.forward(std::vector<float>(5), 1), std::logic_error);
    return;
  }
  EXPECT_THROW(draft::MedusaHeadsPasses(model, engine, engine), std::logic_error);
  draft::ParallelSpecPasses passes(model, engine, 1);
  const std::vector<Token> text = {3, 1, 4};
  EXPECT_THROW(passes.forward(text, std::vector<float>(2 * 64), drafts_one_by_one() ? 1 : 2),
               std::logic_error);
  EXPECT_THROW(passes.forward(text, std::vector<float>(5), 1), std::logic_error);
  EXPECT_THROW(passes.forward(std::span(text).first(0), {}, 1), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(, ParallelSpecDrafts,
                         testing::Values(Kind{Flavour::kEagle, true}, Kind{Flavour::kMedusa, true},
                                         Kind{Flavour::kMedusa, false},
                                         Kind{Flavour::kEagleAr, true},
                                         Kind{Flavour::kMedusaHeads, false}));

}  // namespace
}  // namespace outrider::decode
