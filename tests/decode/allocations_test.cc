#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/decode/batch.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/draft/copy/pld_plus_a_drafter.h"
#include "runtime/draft/copy/pld_plus_h_drafter.h"
#include "runtime/draft/copy/with_reference.h"
#include "runtime/draft/copy_first.h"
#include "runtime/draft/gsd/gsd_drafter.h"
#include "runtime/draft/guarded.h"
#include "runtime/draft/model/model_drafter.h"
#include "runtime/draft/ngram/bigram_drafter.h"
#include "runtime/draft/ngram/context_ngram_drafter.h"
#include "runtime/draft/ngram/ngrammys_drafter.h"
#include "runtime/draft/ngram/recycling_drafter.h"
#include "runtime/draft/ngram/unigram_drafter.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "tests/support/shallow_model.h"
#include "tests/support/some_classifier.h"
#include "tests/support/tiny_engine.h"
#include "tests/support/tiny_parallelspec.h"

namespace {

std::atomic<std::int64_t> allocations{0};
std::atomic<std::int64_t> live_bytes{0};

void* counted(void* p) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (p == nullptr) throw std::bad_alloc();
  live_bytes.fetch_add(static_cast<std::int64_t>(malloc_usable_size(p)), std::memory_order_relaxed);
  return p;
}

void released(void* p) {
  live_bytes.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(p)), std::memory_order_relaxed);
  std::free(p);
}

}  // namespace

// Not inlined: GCC would warn of malloc with delete.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(std::malloc(size)); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t aligned) {
  const std::size_t alignment = static_cast<std::size_t>(aligned);
  return counted(std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { released(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { released(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { released(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  released(p);
}

namespace outrider::decode {
namespace {

class Allocations : public testing::Test {
 protected:
  struct Counts {
    std::int64_t made = 0;  // from the first token of the text to one before drafts have to be cut
    DecodeStats stats;
  };

  Counts count(const sampling::SamplerOptions& options, draft::Drafter* drafter,
               int tokens = kTokens) {
    sampling::Sampler sampler(options, target_.engine.config().vocab, 1);
    std::int64_t first = 0, last = 0;
    int received = 0;
    const DecodeResult result = decoder_.decode(prompt_, sampler, drafter, {.max_new = tokens},
                                                [&](Token, const draft::Origin&) {
                                                  if (received == 0) first = allocations.load();
                                                  if (++received <= tokens - 10)
                                                    last = allocations.load();
                                                  return true;
                                                });
    EXPECT_EQ(result.tokens.size(), static_cast<std::size_t>(tokens));
    return {last - first, result.stats};
  }

  /// Greedy, plain, with every filter, and with penalties, whose counts grow with the text.
  static std::vector<sampling::SamplerOptions> every_sampling() {
    const double temperature = 0.8;
    return {{},
            {.temperature = temperature},
            {.temperature = temperature, .top_p = 0.9},
            {.temperature = temperature, .top_k = 40, .top_p = 0.9, .min_p = 0.1},
            {.temperature = temperature, .min_p = 0.1, .repetition_penalty = 1.01}};
  }

  /// Of the second text with each sampling; in the first, of so many tokens, buffers of a draft grow.
  void expect_none(draft::Drafter& drafter, int least_drafted, const std::string& what = "",
                   int first = kTokens) {
    int number = 0;
    for (const sampling::SamplerOptions& options : every_sampling()) {
      count(options, &drafter, first);
      const Counts counts = count(options, &drafter);
      const std::string how =
          drafter.name() + " " + what + ", sampling " + std::to_string(number++);
      EXPECT_GT(counts.stats.drafted, least_drafted) << how;
      EXPECT_EQ(counts.made, 0) << how;
    }
  }

  /// The same of drafters whose tables grow with the text: room for a longer one is made at its start.
  void expect_none_in_longer_texts(draft::Drafter& drafter, int least_drafted) {
    count({}, nullptr);  // what the engine has for a row grows with the text, too
    expect_none(drafter, least_drafted, "", kTokens / 3);
  }

  /// Each token comes after itself most often, then those after it.
  draft::TablesPtr tables(int top) const {
    auto tables = std::make_shared<draft::NgramTables>();
    tables->top = top;
    const int vocab = target_.engine.config().vocab;
    for (Token token = 0; token < vocab; ++token) {
      tables->unigram.push_back(token);
      for (int rank = 0; rank < top; ++rank) {
        tables->next.push_back((token + rank) % vocab);
        tables->log_probs.push_back(-1 - static_cast<float>(rank));
      }
    }
    return tables;
  }

  static constexpr int kTokens = 150;
  test::TinyEngine target_{model::WeightType::kQ4_1, 1, 2};
  std::vector<Token> prompt_ = test::random_tokens(20, target_.engine.config().vocab, 1);
  Decoder decoder_{target_.engine, 200};
};

TEST_F(Allocations, PlainStepsMakeNone) {
  // The first time, what holds a row's scores grows, the less often the longer it is.
  EXPECT_LE(count({}, nullptr).made, 7);
  for (const sampling::SamplerOptions& options : every_sampling())
    EXPECT_EQ(count(options, nullptr).made, 0)
        << "top-p " << options.top_p << ", min-p " << options.min_p;
}

TEST_F(Allocations, DraftedStepsMakeNone) {
  draft::Pld pld({.ngram = 1, .draft_length = 4});
  expect_none(pld, 0);
}

TEST_F(Allocations, PassesOfSeveralSequencesMakeNone) {
  class Ear : public SequenceListener {
   public:
    bool take(Token, const draft::Origin&, const sampling::RowScores*) override {
      ++taken;
      return true;
    }
    void end(DecodeResult) override {}
    int taken = 0;
  };
  // One thread, as which of several has the longest row so far, and makes room for it, is up to chance.
  test::TinyEngine target(model::WeightType::kQ4_1, 1, 1);
  Batch batch(target.engine);
  for (const bool counts : {false, true}) {  // the first time, what holds a row's scores grows
    std::array<Ear, 4> ears;
    for (std::size_t i = 0; i < ears.size(); ++i) {
      Request request = {.text = prompt_,
                         .sampler = {every_sampling()[i], target_.engine.config().vocab, 1},
                         .limits = {.max_new = 300},
                         .context = 400};
      if (i % 2 != 0)
        request.new_drafter = [] {
          return std::make_unique<draft::Pld>(draft::PldOptions{.ngram = 1, .draft_length = 4});
        };
      batch.add(std::move(request), ears[i]);
    }
    const auto least = [&] {
      return std::min_element(ears.begin(), ears.end(),
                              [](const Ear& a, const Ear& b) { return a.taken < b.taken; })
          ->taken;
    };
    const auto most = [&] {
      return std::max_element(ears.begin(), ears.end(),
                              [](const Ear& a, const Ear& b) { return a.taken < b.taken; })
          ->taken;
    };
    while (least() < 100) batch.step();  // and what holds a draft
    const std::int64_t before = allocations.load();
    int passes = 0;
    for (; most() < 290; ++passes) batch.step();
    EXPECT_EQ(counts ? allocations.load() - before : 0, 0);
    EXPECT_GT(passes, 20);
    while (batch.step()) {
    }
  }
}

TEST_F(Allocations, StepsWithRankedSourcesMakeNone) {
  draft::PldPlusH states({.layer = 1, .draft_length = 4, .branches = 2});
  draft::PldPlusH states_and_logits(
      {.layer = 1, .draft_length = 4, .branches = 2, .logit_weight = 0.02});
  draft::PldPlusA heads(
      {.heads = {{1, 0}, {1, 1}}, .aggregation = draft::Aggregation::kSum, .draft_length = 4});
  expect_none_in_longer_texts(states, 20);
  expect_none_in_longer_texts(states_and_logits, 20);
  expect_none_in_longer_texts(heads, 20);
}

// As drafted without flags: guarded copies of the text or a user's files first, then a draft model's tokens.
TEST_F(Allocations, StepsOfDraftersWithinDraftersMakeNone) {
  const auto guarded = [](std::unique_ptr<draft::Drafter> drafter) {
    draft::DraftPrices prices = {{{.from = 0, .seconds = {1}}}, 0.1};
    for (int rows = 2; rows <= 20; ++rows) prices.passes[0].seconds.push_back(1 + 0.05 * rows);
    return std::make_unique<draft::Guarded>(std::move(drafter), prices);
  };
  std::vector<Token> reference = test::random_tokens(500, target_.engine.config().vocab, 3);
  reference.push_back(draft::ReferenceIndex::kEnd);
  auto copier = std::make_unique<draft::WithReference>(
      std::make_unique<draft::PldPlusH>(draft::PldPlusHOptions{.layer = 1, .draft_length = 4}),
      std::make_shared<const draft::ReferenceIndex>(reference),
      draft::WithReferenceOptions{.shortest = 1});
  const model::Model shallow = test::shallow_model(
      target_.model, std::vector<int>{1}, test::every_token(target_.engine.config().vocab, 0, 2));
  const std::shared_ptr<engine::Engine> engine = target_.engine.beside(shallow, {});
  auto model = std::make_unique<draft::ModelDrafter>(
      engine, draft::make_stop_policy({"static", 3, 0, nullptr}),
      draft::ModelDrafterOptions{.longest = 3,
                                 .target_vocab = target_.engine.config().vocab,
                                 .head_tokens = shallow.head_tokens});
  draft::CopyFirst drafter(guarded(std::move(copier)), guarded(std::move(model)));
  expect_none(drafter, 20);
}

TEST_F(Allocations, StepsWithTablesOrNgramsMakeNone) {
  draft::Unigram unigram(tables(4), 4);
  draft::Bigram bigram(tables(4), {.drafts = 4, .draft_length = 4});
  draft::ContextNgram context({.query = 1, .draft_length = 3, .drafts = 4});
  draft::NGrammys ngrammys(tables(4), {.query = 1, .drafts = 4, .draft_length = 3});
  expect_none(unigram, 50);
  expect_none(bigram, 50);
  expect_none_in_longer_texts(context, 50);
  expect_none_in_longer_texts(ngrammys, 50);
}

TEST_F(Allocations, StepsWithRecycledRowsMakeNone) {
  draft::Recycling drafter(tables(1), {.nodes = 6}, target_.engine.score_kernels());
  expect_none(drafter, 50);
}

TEST_F(Allocations, StepsWithADraftModelMakeNone) {
  const model::Model shallow = test::shallow_model(
      target_.model, std::vector<int>{1}, test::every_token(target_.engine.config().vocab, 0, 2));
  const std::shared_ptr<engine::Engine> engine = target_.engine.beside(shallow, {});
  const auto classifier = test::alternating_classifier();
  for (const std::string& stop : draft::stop_policy_names()) {
    draft::ModelDrafter drafter(engine, draft::make_stop_policy({stop, 6, 0.02, classifier}),
                                {.longest = 6,
                                 .target_vocab = target_.engine.config().vocab,
                                 .head_tokens = shallow.head_tokens});
    expect_none(drafter, 50, stop);
  }
}

TEST_F(Allocations, StepsWithADraftTreeOrGraphMakeNone) {
  const std::shared_ptr<engine::Engine> own(&target_.engine, [](engine::Engine*) {});
  for (const int tau : {0, 1}) {
    draft::GsdDrafter drafter(own, {.steps = 4,
                                    .children = 2,
                                    .pruning = {0, 0, 0},
                                    .nodes = 20,
                                    .tau = tau,
                                    .target_vocab = target_.engine.config().vocab});
    expect_none(drafter, 50, "tau " + std::to_string(tau));
  }
}

TEST_F(Allocations, StepsOfSpeculativeSamplingMakeNone) {
  const std::shared_ptr<engine::Engine> own(&target_.engine, [](engine::Engine*) {});
  const int vocab = target_.engine.config().vocab;
  draft::ModelDrafter chains(
      own, draft::make_stop_policy({"static", 4, 0, nullptr}),
      {.longest = 4, .verification = draft::Verification::kRejection, .target_vocab = vocab});
  draft::GsdDrafter trees(own, {.steps = 3,
                                .children = 2,
                                .nodes = 20,
                                .verification = draft::Verification::kRejection,
                                .target_vocab = vocab});
  count({}, &chains);  // what the engine has for a pass grows with the text, too
  expect_none_in_longer_texts(chains, 50);
  expect_none(trees, 50);
}

// Filters leave one token of the first row, and all of the second.
TEST(AllocationsOfDistributions, AreMadeForTheFirst) {
  const sampling::SamplerOptions options = {.temperature = 1, .min_p = 0.1};
  const sampling::TokenCounts counts({});
  sampling::TokenChoice choice(100);
  const sampling::Distribution q = {{0}, {1}};
  sampling::Distribution p, rest, left;
  std::vector<float> logits(100, -20);
  logits[50] = 0;
  std::int64_t before = 0;
  for (const std::size_t tokens : {1u, 100u}) {
    before = allocations.load();
    choice.distribute({options, 1, counts}, logits, p);
    residual(p, q, rest);
    without(p, 50, left);
    EXPECT_EQ(p.tokens.size(), tokens);
    logits.assign(logits.size(), 0);
  }
  EXPECT_EQ(allocations.load(), before);
}

TEST_F(Allocations, StepsWithAParallelDrafterMakeNone) {
  using Flavour = draft::ParallelSpecModel::Flavour;
  const auto model = [&](Flavour flavour, bool token_inputs) {
    return std::make_shared<const draft::ParallelSpecModel>(
        test::tiny_parallelspec(target_.model, {flavour, token_inputs, 3}, 4));
  };
  for (const auto& parallel :
       {model(Flavour::kEagle, true), model(Flavour::kMedusa, true), model(Flavour::kMedusa, false),
        model(Flavour::kEagleAr, true), model(Flavour::kMedusaHeads, false)}) {
    for (const std::vector<int>& widths : {std::vector<int>{}, {3, 2}}) {
      const auto drafter =
          test::parallelspec_drafter(parallel, target_.engine, {.length = 3, .widths = widths});
      expect_none(*drafter, 50);
    }
    const auto of_best_nodes =
        test::parallelspec_drafter(parallel, target_.engine, {.length = 3, .best_nodes = 7});
    expect_none(*of_best_nodes, 50);
  }
}

// What a server budgets before it admits a text. Buffers of a pass do not grow with the text, and are not counted.
TEST_F(Allocations, DraftersTakeNoMoreForALongerTextThanTheySay) {
  constexpr int kShort = 120, kLong = 420;
  constexpr std::int64_t kOther = 20'000;  // bytes that passes over longer texts take
  const int vocab = target_.engine.config().vocab, width = target_.engine.config().width;
  const model::Model shallow =
      test::shallow_model(target_.model, std::vector<int>{1}, test::every_token(vocab, 0, 2));
  const std::shared_ptr<engine::Engine> engine = target_.engine.beside(shallow, {});
  const auto parallel = [&](draft::ParallelSpecModel::Flavour flavour) {
    return test::parallelspec_drafter(
        std::make_shared<const draft::ParallelSpecModel>(
            test::tiny_parallelspec(target_.model, {flavour, true, 3}, 4)),
        target_.engine, {.length = 3});
  };
  const std::vector<std::function<std::unique_ptr<draft::Drafter>()>> all = {
      [&] {
        return std::make_unique<draft::PldPlusH>(
            draft::PldPlusHOptions{.layer = 1, .draft_length = 4, .width = width});
      },
      [&] {
        return std::make_unique<draft::PldPlusA>(
            draft::PldPlusAOptions{.heads = {{1, 0}, {1, 1}}, .draft_length = 4});
      },
      [&] {
        return std::make_unique<draft::ContextNgram>(
            draft::ContextNgramOptions{.query = 1, .draft_length = 3, .drafts = 4});
      },
      [&] {
        return std::make_unique<draft::CopyFirst>(
            std::make_unique<draft::NGrammys>(
                tables(4), draft::NGrammysOptions{.query = 1, .drafts = 4, .draft_length = 3}),
            std::make_unique<draft::PldPlusH>(
                draft::PldPlusHOptions{.layer = 2, .draft_length = 4, .width = width}));
      },
      [&] {
        return std::make_unique<draft::Guarded>(
            std::make_unique<draft::ModelDrafter>(
                engine, draft::make_stop_policy({"static", 3, 0, nullptr}),
                draft::ModelDrafterOptions{
                    .longest = 3, .target_vocab = vocab, .head_tokens = shallow.head_tokens}),
            draft::DraftPrices{{{.from = 0, .seconds = std::vector<double>(10, 1)}}, 0});
      },
      [&] {
        return std::make_unique<draft::GsdDrafter>(
            engine, draft::GsdDrafterOptions{.steps = 3,
                                             .children = 2,
                                             .nodes = 20,
                                             .target_vocab = vocab,
                                             .head_tokens = shallow.head_tokens});
      },
      [&] { return parallel(draft::ParallelSpecModel::Flavour::kEagle); },
      [&] { return parallel(draft::ParallelSpecModel::Flavour::kEagleAr); },
      [&] { return parallel(draft::ParallelSpecModel::Flavour::kMedusa); },
  };
  // Their keys and values are those of one layer. Memory of caches is in huge pages, and so grows less often.
  const std::set<std::string> has_layer = {"ssd", "tsd", "parallelspec-eagle", "eagle-ar",
                                           "parallelspec-medusa"};
  sampling::Sampler sampler({}, vocab, 1);
  for (const auto& new_drafter : all) {
    const auto take = [&](draft::Drafter& drafter, int tokens) {
      const std::vector<Token> prompt = test::random_tokens(tokens - 40, vocab, 2);
      const std::int64_t before = live_bytes.load();
      Decoder(target_.engine, kLong).decode(prompt, sampler, &drafter, {.max_new = 40});
      return live_bytes.load() - before;
    };
    take(*new_drafter(), kLong);  // the engines have what passes over such texts take
    const auto drafter = new_drafter();
    const std::int64_t said_at_first = drafter->text_bytes(kLong);
    EXPECT_GT(said_at_first, 0) << drafter->name();
    if (has_layer.count(drafter->name()) > 0) {
      EXPECT_GE(said_at_first, engine->cache_bytes(kLong)) << drafter->name();
    }
    take(*drafter, kShort);
    const std::int64_t said = drafter->text_bytes(kLong) - drafter->text_bytes(1);
    const std::int64_t taken = take(*drafter, kLong);
    EXPECT_LE(taken, said + kOther) << drafter->name();
    // What a text before this one left counts, as it stays.
    if (has_layer.count(drafter->name()) > 0) {
      EXPECT_GE(drafter->text_bytes(1), engine->cache_bytes(kLong - 40)) << drafter->name();
    }
  }
}

}  // namespace
}  // namespace outrider::decode
