// Drafts of models on an emulated GPU, whose rows are read there, are those of the processor: tokens, probabilities, and
// where they end.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/decode/decode_loop.h"
#include "runtime/draft/gsd/gsd_drafter.h"
#include "runtime/draft/model/model_drafter.h"
#include "runtime/draft/parallelspec/parallelspec_drafter.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "tests/decode/trimmed_draft.h"
#include "tests/draft/counting_engine.h"
#include "tests/support/some_classifier.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::decode {
namespace {

using draft::ParallelSpecModel;
using draft::TokenTree;
using draft::Verification;
using sampling::SamplerOptions;

/// Drafts as one drafter does, and expects the same of another.
class BothDrafters : public draft::Drafter {
 public:
  BothDrafters(std::unique_ptr<Drafter> on_processor, std::unique_ptr<Drafter> on_gpu)
      : on_processor_(std::move(on_processor)), on_gpu_(std::move(on_gpu)) {}

  std::string name() const override { return on_processor_->name(); }
  draft::DrafterTraits traits() const override { return on_processor_->traits(); }
  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override {
    on_processor_->observe(pass, rows);
    on_gpu_->observe(pass, rows);
  }
  void verified(std::span<const int> accepted, Token next) override {
    on_processor_->verified(accepted, next);
    on_gpu_->verified(accepted, next);
  }
  int nodes() const { return nodes_; }

 protected:
  int begin(const draft::TextStart& text) override {
    const int kept = on_processor_->start(text);
    EXPECT_EQ(on_gpu_->start(text), kept);
    return kept;
  }
  void fill(const draft::DraftContext& context, TokenTree& tree) override {
    TokenTree other(0);
    other.restart(tree.token(0), tree.limits());
    on_gpu_->draft(context, other);
    on_processor_->draft(context, tree);
    ASSERT_EQ(other.size(), tree.size());
    EXPECT_EQ(other.is_cut(), tree.is_cut());
    for (int node = 1; node < tree.size(); ++node) {
      ASSERT_EQ(other.token(node), tree.token(node)) << node;
      ASSERT_EQ(other.parent(node), tree.parent(node)) << node;
      ASSERT_EQ(other.origin(node).rank, tree.origin(node).rank) << node;
      ASSERT_EQ(other.origin(node).log_q, tree.origin(node).log_q) << node;
    }
    for (int node = 0; node < tree.size(); ++node) {
      const auto *mine = tree.drawn_from(node), *its = other.drawn_from(node);
      ASSERT_EQ(mine == nullptr, its == nullptr);
      if (mine == nullptr) continue;
      ASSERT_EQ(its->tokens, mine->tokens);
      ASSERT_EQ(its->probabilities, mine->probabilities);
    }
    nodes_ += tree.num_drafted();
  }

 private:
  std::unique_ptr<Drafter> on_processor_, on_gpu_;
  int nodes_ = 0;
};

class DraftsOnGpu : public test::TrimmedDraft {
 protected:
  static constexpr int kRoom = 120, kNew = 20;

  std::shared_ptr<engine::Engine> draft_engine(const engine::Engine& target) const {
    return target.beside(trimmed_model_, {.for_drafts = true});
  }
  std::unique_ptr<draft::Drafter> chain(const engine::Engine& target, const std::string& stop,
                                        Verification verification) const {
    return chain_of(draft_engine(target), stop, verification);
  }
  std::unique_ptr<draft::Drafter> chain_of(std::shared_ptr<engine::Engine> draft_engine,
                                           const std::string& stop,
                                           Verification verification) const {
    return std::make_unique<draft::ModelDrafter>(
        std::move(draft_engine),
        draft::make_stop_policy(
            {stop, 5, draft::has_classifier(stop) ? 0.5 : 0.02,
             std::make_shared<const draft::StopClassifier>(test::some_classifier(4))}),
        draft::ModelDrafterOptions{.longest = 5,
                                   .verification = verification,
                                   .target_vocab = vocab(),
                                   .head_tokens = trimmed_model_.head_tokens});
  }
  std::unique_ptr<draft::Drafter> tree(const engine::Engine& target, int tau,
                                       Verification verification,
                                       const draft::Pruning& pruning = {}) const {
    return tree_of(draft_engine(target), tau, verification, pruning);
  }
  std::unique_ptr<draft::Drafter> tree_of(const std::shared_ptr<engine::Engine>& draft_engine,
                                          int tau, Verification verification,
                                          const draft::Pruning& pruning) const {
    return std::make_unique<draft::GsdDrafter>(
        draft_engine, draft::GsdDrafterOptions{.steps = 4,
                                               .depth = tau > 0 ? 6 : 0,
                                               .children = 3,
                                               .pruning = pruning,
                                               .nodes = 40,
                                               .tau = tau,
                                               .verification = verification,
                                               .target_vocab = vocab(),
                                               .head_tokens = trimmed_model_.head_tokens});
  }

  /// @param make  (engine of a target) -> a drafter beside it
  template <typename Make>
  void expect_the_processors_drafts(const std::vector<SamplerOptions>& all, const Make& make) {
    for (const SamplerOptions& options : all) {
      SCOPED_TRACE(testing::Message() << "T " << options.temperature << ", top-k " << options.top_k
                                      << ", frequency " << options.frequency_penalty);
      BothDrafters both(make(target_.engine), make(*gpu_));
      decode(options, both);
      EXPECT_GT(both.nodes(), kNew / 2);
    }
  }
  void decode(const SamplerOptions& options, BothDrafters& both) {
    Decoder(target_.engine, kRoom).decode(prompt_, {options, vocab(), 7}, &both, {.max_new = kNew});
  }

  std::unique_ptr<engine::Engine> gpu_ =
      engine::make_engine(target_.model, {.device = {engine::DeviceChoice::Kind::kCudaEmulated}});
  std::vector<SamplerOptions> all_ = {{},
                                      {.temperature = 1},
                                      {.temperature = 1, .top_k = 5},
                                      {.frequency_penalty = 0.7},
                                      test::every_sampler_option()};
};

/// Else all chains here would be drafted token by token.
TEST_F(DraftsOnGpu, ChainsAreDraftedAtOnceWhereTheirRowsLie) {
  EXPECT_NE(draft_engine(*gpu_)->make_ahead_reader({}), nullptr);
  EXPECT_EQ(draft_engine(target_.engine)->make_ahead_reader({}), nullptr);
  EXPECT_EQ(gpu_->make_ahead_reader({}), nullptr)
      << "whose rows are checked when they are committed";
  const auto engine = draft_engine(*gpu_);
  const auto chains = engine->make_ahead_reader({});
  const auto cache = engine->make_cache(8);
  engine::Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, std::vector<Token>{5, 6}, true);
  engine->forward(pass);
  cache->commit_first(2);
  const engine::RowQuestion greedy = {.ranked = 1};
  std::vector<engine::RowQuestion> questions(3, greedy);
  std::vector<engine::RowAnswer> answers(4);
  std::vector<engine::RowAhead> rows(2);
  const engine::RowBefore after = {.row = 1, .parent = engine::Row::kCommitted};
  const auto draft = [&](int levels) {
    chains->answer(*cache, pass.logits, {&after, 1}, {.levels = levels}, {}, questions, answers,
                   rows);
  };
  draft(2);
  cache->hold();
  EXPECT_EQ(cache->held(), 2) << "the last token is not forwarded";
  EXPECT_EQ(rows, (std::vector<engine::RowAhead>{{0, 0}, {0, 0}}));
  EXPECT_THROW(draft(1), std::logic_error);
  EXPECT_THROW(draft(3), std::logic_error);
  const int of_other_levels[] = {1};
  EXPECT_THROW(chains->answer(*cache, pass.logits, {&after, 1},
                              {.levels = 2, .children_before = of_other_levels}, {}, questions,
                              answers, rows),
               std::logic_error);
}

/// Notes the passes that the host asks for one by one.
class OneByOne : public test::CountingEngine {
 public:
  using CountingEngine::CountingEngine;
  std::unique_ptr<engine::RowReader> make_row_reader(
      const engine::RowReaderOptions& options) override {
    return counted().make_row_reader(options);
  }
  std::unique_ptr<engine::AheadReader> make_ahead_reader(
      const engine::RowReaderOptions& options) override {
    return counted().make_ahead_reader(options);
  }
};

/// Of a round it is the pass that reads the text: all that is drafted comes with one request, but for what was not guessed.
TEST_F(DraftsOnGpu, HostsAskForOnePassARound) {
  const auto rounds_of = [](const draft::Drafter& drafter) {
    for (const auto& [name, count] : drafter.report(0).counts)
      if (name == "rounds") return count;
    return std::int64_t{0};
  };
  for (const double temperature : {0.0, 1.0}) {
    const auto passes_a_round = [&](const std::shared_ptr<OneByOne>& engine,
                                    draft::Drafter& drafter) {
      engine->rows.clear();
      Decoder(*gpu_, kRoom)
          .decode(prompt_, {{.temperature = temperature}, vocab(), 7}, &drafter, {.max_new = kNew});
      EXPECT_GT(rounds_of(drafter), 2);
      return static_cast<double>(engine->rows.size()) / static_cast<double>(rounds_of(drafter));
    };
    const auto of_model = std::make_shared<OneByOne>(draft_engine(*gpu_));
    EXPECT_EQ(passes_a_round(of_model, *chain_of(of_model, "static", Verification::kCoupled)), 1);
    for (const int tau : {0, 1}) {
      const auto drafter = tree_of(of_model, tau, Verification::kCoupled, {.sibling = 0.999});
      EXPECT_LT(passes_a_round(of_model, *drafter), 1.5) << tau;
    }
    const auto eagle = std::make_shared<const ParallelSpecModel>(test::tiny_parallelspec(
        target_.model, {.flavour = ParallelSpecModel::Flavour::kEagleAr}, 3));
    const auto of_eagle =
        std::make_shared<OneByOne>(gpu_->beside(eagle->layer, {.for_drafts = true}));
    draft::ParallelSpecDrafter chain(eagle, of_eagle, {.length = 6});
    EXPECT_EQ(passes_a_round(of_eagle, chain), 1);
    draft::ParallelSpecDrafter tree(eagle, of_eagle, {.length = 4, .widths = {3, 2, 1}});
    EXPECT_EQ(passes_a_round(of_eagle, tree), 1);
    draft::ParallelSpecDrafter best(eagle, of_eagle, {.length = 4, .best_nodes = 6});
    EXPECT_LT(passes_a_round(of_eagle, best), 2.5);
  }
}

/// Four are drafted before the first of them is looked at.
TEST_F(DraftsOnGpu, EaglesChainsAreTheProcessorsWhereverTheyEnd) {
  const auto model = std::make_shared<const ParallelSpecModel>(
      test::tiny_parallelspec(target_.model, {.flavour = ParallelSpecModel::Flavour::kEagleAr}, 3));
  for (const double threshold : {0.0, 1e-30, 1e-6})
    expect_the_processors_drafts(
        {{}, test::every_sampler_option()}, [&](const engine::Engine& target) {
          return test::parallelspec_drafter(model, target, {.length = 6, .threshold = threshold});
        });
}

/// With a number of children at each depth, and the best nodes, of which some were not guessed.
TEST_F(DraftsOnGpu, EaglesTreesAreTheProcessors) {
  const auto model = std::make_shared<const ParallelSpecModel>(
      test::tiny_parallelspec(target_.model, {.flavour = ParallelSpecModel::Flavour::kEagleAr}, 3));
  const auto expect_same = [&](const SamplerOptions& options,
                               const draft::ParallelSpecDrafterOptions& form) {
    expect_the_processors_drafts({options}, [&](const engine::Engine& target) {
      return test::parallelspec_drafter(model, target, form);
    });
  };
  expect_same(test::every_sampler_option(), {.length = 5, .widths = {2, 1, 2}, .threshold = 1e-6});
  expect_same({}, {.length = 4, .threshold = 1e-5, .best_nodes = 6});
}

TEST_F(DraftsOnGpu, ChainsAreTheProcessorsWhateverStopsThem) {
  for (const char* stop : {"static", "path", draft::kDiscoStop})
    expect_the_processors_drafts(all_, [&](const engine::Engine& target) {
      return chain(target, stop, Verification::kCoupled);
    });
}

TEST_F(DraftsOnGpu, ChainsAreTheProcessorsWithEachSamplerOptionAlone) {
  const std::vector<SamplerOptions> alone = {{.logit_bias = {{6, 3}, {9, -2}, {40, 2.5}}},
                                             {.temperature = 1, .top_p = 0.7},
                                             {.temperature = 1, .min_p = 0.3}};
  expect_the_processors_drafts(alone, [&](const engine::Engine& target) {
    return chain(target, "static", Verification::kCoupled);
  });
}

TEST_F(DraftsOnGpu, ChainsEndWithTheDraftModelsContext) {
  model::Model short_model = trimmed_model_;
  short_model.config.context = static_cast<int>(prompt_.size()) + kNew - 4;
  expect_the_processors_drafts({{}, {.temperature = 1}}, [&](const engine::Engine& target) {
    return chain_of(target.beside(short_model, {.for_drafts = true}), "static",
                    Verification::kCoupled);
  });
}

/// Chains that were recorded name memory of passes, which a larger pass of the same engine moves.
TEST_F(DraftsOnGpu, ChainsAreTheProcessorsAfterTheMemoryOfPassesHasMoved) {
  const std::shared_ptr<engine::Engine> engine = draft_engine(*gpu_);
  BothDrafters both(chain(target_.engine, "static", Verification::kCoupled),
                    chain_of(engine, "static", Verification::kCoupled));
  decode({.temperature = 1}, both);
  const int before = both.nodes();
  const std::vector<Token> prompt = test::random_tokens(90, vocab(), 5);
  const auto cache = engine->make_cache(90);
  engine::Pass larger;
  larger.sequences = {cache.get()};
  larger.add_chain(0, prompt, true);
  engine->forward(larger);
  decode({.temperature = 1}, both);
  EXPECT_EQ(both.nodes(), 2 * before);
}

TEST_F(DraftsOnGpu, TreesAndGraphsAreTheProcessors) {
  for (const int tau : {0, 1})
    expect_the_processors_drafts(all_, [&](const engine::Engine& target) {
      return tree(target, tau, Verification::kCoupled);
    });
}

/// Levels of more nodes than a device drafts ahead.
TEST_F(DraftsOnGpu, TreesAreTheProcessorsWhereMoreIsOpenedThanWasGuessed) {
  expect_the_processors_drafts({{}, {.temperature = 1, .top_k = 9}},
                               [&](const engine::Engine& target) {
                                 return tree(target, 1, Verification::kCoupled, {0, 0, 0});
                               });
}

TEST_F(DraftsOnGpu, WhatIsDrawnForRejectionIsTheProcessors) {
  const std::vector<SamplerOptions> drawn = {
      {.temperature = 1}, {.temperature = 0.8, .top_k = 9, .frequency_penalty = 1}};
  expect_the_processors_drafts(drawn, [&](const engine::Engine& target) {
    return chain(target, "confidence", Verification::kRejection);
  });
  expect_the_processors_drafts(drawn, [&](const engine::Engine& target) {
    return tree(target, 0, Verification::kRejection);
  });
}

/// Which rows a draft asks about depends on its flavour and form, what is answered on the sampler: all of both, but not
/// every pair.
TEST_F(DraftsOnGpu, ParallelSpecDraftsAreTheProcessors) {
  const SamplerOptions greedy, every = test::every_sampler_option();
  struct Tried {
    draft::ParallelSpecDrafterOptions form;
    std::vector<SamplerOptions> sampled;
  };
  const Tried tried[] = {
      {{.length = 3}, {greedy, every}},
      {{.length = 3, .widths = {3, 2}, .threshold = 1e-4}, {every}},
      {{.length = 3, .best_nodes = 9}, {greedy}},
      {{.length = 3, .widths = {2}, .verification = Verification::kRejection},
       {{.temperature = 1}}},
  };
  for (const ParallelSpecModel::Flavour flavour : draft::kFlavours) {
    const auto model = std::make_shared<const ParallelSpecModel>(
        test::tiny_parallelspec(target_.model, {.flavour = flavour}, 3));
    for (const Tried& one : tried) {
      SCOPED_TRACE(testing::Message() << draft::name_of(flavour) << " " << one.form.shape().tree());
      expect_the_processors_drafts(one.sampled, [&](const engine::Engine& target) {
        return test::parallelspec_drafter(model, target, one.form);
      });
    }
  }
}

TEST_F(DraftsOnGpu, ParallelSpecTreesAreTheProcessorsWithEachSamplerOption) {
  const auto model =
      std::make_shared<const ParallelSpecModel>(test::tiny_parallelspec(target_.model, {}, 3));
  expect_the_processors_drafts(all_, [&](const engine::Engine& target) {
    return test::parallelspec_drafter(model, target,
                                      {.length = 3, .widths = {3, 2}, .threshold = 1e-4});
  });
}

}  // namespace
}  // namespace outrider::decode
