#include "runtime/draft/model/model_drafter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "runtime/draft/stop/make_stop_policy.h"
#include "tests/draft/counting_engine.h"
#include "tests/support/binomial_bound.h"
#include "tests/support/shallow_model.h"
#include "tests/support/some_classifier.h"
#include "tests/support/tiny_engine.h"

namespace outrider::draft {
namespace {

using Widths = std::vector<int>;
constexpr int kLongestChain = 4;

class ModelDrafterTest : public testing::Test {
 protected:
  std::unique_ptr<ModelDrafter> drafter(ModelDrafterOptions options = {},
                                        const std::string& stop = "static") {
    options.longest = kLongestChain;
    if (options.target_vocab == 0) options.target_vocab = vocab();
    return std::make_unique<ModelDrafter>(
        counting_, make_stop_policy({stop, options.longest, 0.5, test::alternating_classifier()}),
        options);
  }
  int vocab() const { return tiny_.engine.config().vocab; }

  /// The tokens of the drafted chain.
  static std::vector<Token> draft(
      ModelDrafter& drafter, const std::vector<Token>& text,
      const DraftLimits& limits = {.depth = 50, .nodes = 100},
      const sampling::SequenceSampling& sampling = sampling::SequenceSampling::greedy()) {
    TokenTree tree(text.back(), limits);
    drafter.draft({text, sampling}, tree);
    std::vector<Token> tokens;
    for (int node = 1; node < tree.size(); ++node) {
      EXPECT_EQ(tree.parent(node), node - 1);
      EXPECT_EQ(tree.origin(node).source, Source::kModel);
      tokens.push_back(tree.token(node));
    }
    return tokens;
  }

  /// Reports a round that accepted so many tokens of a draft, and appends another token.
  static void accept(ModelDrafter& drafter, const std::vector<Token>& drafted, int accepted,
                     Token next, std::vector<Token>& text) {
    std::vector<int> nodes(static_cast<std::size_t>(accepted));
    std::iota(nodes.begin(), nodes.end(), 1);
    drafter.verified(nodes, next);
    text.insert(text.end(), drafted.begin(), drafted.begin() + accepted);
    text.push_back(next);
  }

  std::int64_t count(const ModelDrafter& drafter, const std::string& name) const {
    for (const DrafterCount& one : drafter.report(0).counts)
      if (one.name == name) return one.count;
    return -1;
  }

  test::TinyEngine tiny_{model::WeightType::kQ4_1, 1, 1};
  std::shared_ptr<test::CountingEngine> counting_ =
      std::make_shared<test::CountingEngine>(tiny_.engine);
  std::vector<Token> text_ = test::random_tokens(70, vocab(), 3);
};

TEST_F(ModelDrafterTest, LeavesLongTextsAlone) {
  const auto drafter = this->drafter({.most_text = 70});
  drafter->start(text_, 0);
  auto drafted = draft(*drafter, text_);
  EXPECT_EQ(drafted.size(), 4U);
  accept(*drafter, drafted, 0, 5, text_);
  counting_->rows.clear();
  EXPECT_TRUE(draft(*drafter, text_).empty()) << "71 tokens";
  drafter->start(text_, 0);
  EXPECT_TRUE(draft(*drafter, text_).empty());
  EXPECT_TRUE(counting_->rows.empty()) << "nor are they read";
}

TEST_F(ModelDrafterTest, ReadsTheLastTokensOfNewTextsOnly) {
  const auto drafter = this->drafter({.window = 10});
  drafter->start(text_, 0);
  auto drafted = draft(*drafter, text_);
  EXPECT_EQ(counting_->rows, (Widths{10, 1, 1, 1}));
  EXPECT_EQ(count(*drafter, "prefilled_tokens"), 10);
  const auto of_window = this->drafter();
  const std::vector<Token> window(text_.end() - 10, text_.end());
  of_window->start(window, 0);
  EXPECT_EQ(drafted, draft(*of_window, window));

  accept(*drafter, drafted, 4, 7, text_);
  text_.insert(text_.end(), {1, 2, 3});
  drafter->start(text_, 0);
  counting_->rows.clear();
  draft(*drafter, text_);
  EXPECT_EQ(counting_->rows, (Widths{5, 1, 1, 1})) << "goes on where the text does";
  drafter->verified({}, 0);

  text_.insert(text_.end(), 20, 9);
  drafter->start(text_, 0);
  counting_->rows.clear();
  draft(*drafter, text_);
  EXPECT_EQ(counting_->rows, (Widths{10, 1, 1, 1})) << "more than a window is new";

  text_ = test::random_tokens(30, vocab(), 4);
  drafter->start(text_, 0);
  counting_->rows.clear();
  draft(*drafter, text_);
  EXPECT_EQ(counting_->rows, (Widths{10, 1, 1, 1})) << "another text";
  const std::vector<Token> few(text_.begin(), text_.begin() + 6);
  drafter->start(few, 0);
  counting_->rows.clear();
  draft(*drafter, few);
  EXPECT_EQ(counting_->rows, (Widths{6, 1, 1, 1}));
}

TEST_F(ModelDrafterTest, ForwardsNoTokenTwice) {
  const auto drafter = this->drafter();
  drafter->start(text_, 0);
  auto drafted = draft(*drafter, text_);
  ASSERT_EQ(drafted.size(), 4u);
  EXPECT_EQ(counting_->rows, (Widths{64, 6, 1, 1, 1}));
  EXPECT_EQ(count(*drafter, "prefilled_tokens"), 70);

  // All accepted: the last was not forwarded, nor was the token after it.
  accept(*drafter, drafted, 4, 7, text_);
  counting_->rows.clear();
  drafted = draft(*drafter, text_);
  EXPECT_EQ(counting_->rows, (Widths{2, 1, 1, 1}));

  for (const int accepted : {3, 1, 0}) {
    accept(*drafter, drafted, accepted, static_cast<Token>(accepted), text_);
    counting_->rows.clear();
    drafted = draft(*drafter, text_);
    EXPECT_EQ(counting_->rows, (Widths{1, 1, 1, 1})) << accepted;
  }
  EXPECT_EQ(count(*drafter, "rounds"), 5);
  EXPECT_EQ(count(*drafter, "passes"), 3 + 4 * 4);
  EXPECT_EQ(count(*drafter, "stopped_by_length"), 5);
  EXPECT_EQ(count(*drafter, "stopped_by_policy"), 0);
}

TEST_F(ModelDrafterTest, DraftsAfterAnyPastWhatItDraftsWithoutOne) {
  const auto drafter = this->drafter();
  drafter->start(text_, 0);
  for (const int accepted : {2, 0, 4, 3, 1, 0, 4, 4}) {
    const auto drafted = draft(*drafter, text_);
    const auto fresh = this->drafter();
    fresh->start(text_, 0);
    EXPECT_EQ(draft(*fresh, text_), drafted);
    accept(*drafter, drafted, accepted, static_cast<Token>(2 * accepted + 1), text_);
  }
  // A text that continues without any token of the last draft, and one that does not continue.
  draft(*drafter, text_);
  text_.push_back(3);
  const auto fresh = this->drafter();
  EXPECT_EQ(draft(*drafter, text_), draft(*fresh, text_));
  EXPECT_THROW(draft(*drafter, text_), std::logic_error);
}

TEST_F(ModelDrafterTest, KeepsFromTextToTextWhatTheyShare) {
  const auto drafter = this->drafter();
  drafter->start(text_, 0);
  accept(*drafter, draft(*drafter, text_), 2, 9, text_);
  draft(*drafter, text_);
  std::vector<Token> next = text_;
  next.resize(next.size() - 2);
  next.insert(next.end(), {11, 12, 13});
  drafter->start(next, 0);
  next.push_back(5);
  counting_->rows.clear();
  const auto drafted = draft(*drafter, next);
  EXPECT_EQ(counting_->rows, (Widths{4, 1, 1, 1}));
  EXPECT_EQ(count(*drafter, "prefilled_tokens"), 4);
  const auto fresh = this->drafter();
  EXPECT_EQ(draft(*fresh, next), drafted);
  drafter->start({}, 0);
  counting_->rows.clear();
  draft(*drafter, next);
  EXPECT_EQ(counting_->rows.front(), 64);
}

TEST_F(ModelDrafterTest, KeepsToTheLimitsOfTheTreeAndOfItsContext) {
  const auto drafter = this->drafter();
  EXPECT_EQ(draft(*drafter, text_, {.depth = 2, .nodes = 9}).size(), 2u);
  text_.push_back(1);
  EXPECT_EQ(draft(*drafter, text_, {.depth = 9, .nodes = 3}).size(), 3u);
  EXPECT_EQ(count(*drafter, "stopped_by_length"), 0);
  const int context = counting_->config().context;
  for (const auto& [tokens, drafts] : {std::pair{context - 3, 4u},
                                       {context - 2, 3u},
                                       {context, 1u},
                                       {context + 1, 0u},
                                       {context + 100, 0u}}) {
    const auto text = test::random_tokens(tokens, vocab(), 1);
    drafter->start(text, 0);
    EXPECT_EQ(draft(*drafter, text).size(), drafts) << tokens;
    drafter->verified({}, 0);
  }
}

TEST_F(ModelDrafterTest, AsksThePolicyAfterEachToken) {
  const auto drafter = this->drafter({}, "heuristic");
  const auto round = [&] {
    const auto drafted = draft(*drafter, text_);
    accept(*drafter, drafted, 0, 1, text_);
    return drafted.size();
  };
  EXPECT_EQ(round(), 4u);
  EXPECT_EQ(round(), 3u);
  EXPECT_EQ(round(), 2u);
  EXPECT_EQ(round(), 1u);
  EXPECT_EQ(round(), 1u);
  EXPECT_EQ(count(*drafter, "stopped_by_length"), 1);
  EXPECT_EQ(count(*drafter, "stopped_by_policy"), 4);
  drafter->start(text_, 0);
  EXPECT_EQ(count(*drafter, "rounds"), 0);
  EXPECT_EQ(draft(*drafter, text_).size(), 4u);
}

// i counts the tokens of the answer, whatever round they are of.
TEST_F(ModelDrafterTest, ShowsThePolicyEachTokensRowAndIndex) {
  struct Seen : StopPolicy {
    bool stops(const DraftedToken& last) override {
      tokens.push_back({last.number, last.log_q, last.index});
      drawn.push_back(last.token);
      EXPECT_NEAR(last.features.top[0], std::exp(last.log_q), 1e-5F) << "of its own row";
      before.emplace_back(last.before.begin(), last.before.end());
      return false;
    }
    bool needs_features() const override { return true; }
    bool needs_text() const override { return true; }
    std::vector<DraftedToken> tokens;
    std::vector<Token> drawn;
    std::vector<std::vector<Token>> before;
  };
  auto policy = std::make_unique<Seen>();
  Seen& seen = *policy;
  ModelDrafter drafter(counting_, std::move(policy), {.longest = 4, .target_vocab = vocab()});
  drafter.start(text_, 0);
  text_.push_back(1);  // of the prefill: the token with index 0
  const auto first = draft(drafter, text_);
  accept(drafter, first, 2, 9, text_);
  const auto second = draft(drafter, text_);
  std::vector<std::int64_t> indices;
  for (const DraftedToken& token : seen.tokens) indices.push_back(token.index);
  EXPECT_EQ(indices, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(seen.drawn,
            (std::vector<Token>{first[0], first[1], first[2], second[0], second[1], second[2]}));
  std::vector<Token> expected = text_;
  EXPECT_EQ(seen.before[3], expected) << "the text that the second round follows";
  expected.insert(expected.end(), {second[0], second[1]});
  EXPECT_EQ(seen.before[5], expected);
}

TEST_F(ModelDrafterTest, TellsTheProbabilityOfEachToken) {
  const std::vector<Token> tokens = test::every_token(vocab(), 2, 9);
  const std::vector<int> layers = {1};
  const model::Model shallow = test::shallow_model(tiny_.model, layers, tokens);
  const auto trimmed = engine::make_engine(shallow, {.threads = 1});
  engine::Engine* const engines[] = {&tiny_.engine, trimmed.get()};
  for (engine::Engine* const engine : engines) {
    const std::vector<Token> head = engine == trimmed.get() ? tokens : std::vector<Token>{};
    ModelDrafter drafter(std::make_shared<test::CountingEngine>(*engine),
                         make_stop_policy({"static", 1, 0}),
                         {.longest = 1, .target_vocab = vocab(), .head_tokens = head});
    TokenTree tree(text_.back());
    drafter.draft({text_}, tree);
    const auto cache = engine->make_cache(100);
    engine::Pass pass;
    pass.sequences = {cache.get()};
    pass.add_chain(0, text_, true);
    engine->forward(pass);
    const auto logits = pass.logits_of(static_cast<int>(text_.size()) - 1);
    double sum = 0;
    for (const float z : logits) sum += std::exp(static_cast<double>(z));
    const auto row = std::max_element(logits.begin(), logits.end()) - logits.begin();
    EXPECT_EQ(tree.token(1), head.empty() ? row : head[static_cast<std::size_t>(row)]);
    EXPECT_NEAR(tree.origin(1).log_q,
                static_cast<double>(logits[static_cast<std::size_t>(row)]) - std::log(sum), 1e-5);
  }
}

// Padding: rows of the head, or of the embedding, that the other model lacks.
TEST_F(ModelDrafterTest, DraftsForTargetsWithFewerTokens) {
  const auto fewer = drafter({.target_vocab = vocab() - 200});
  const sampling::SamplerOptions options = {.temperature = 3};
  const sampling::TokenCounts counts({});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    text_.push_back(static_cast<Token>(seed));
    const auto drafted = draft(*fewer, text_, {}, {options, seed, counts});
    EXPECT_EQ(drafted.size(), 4u);
    for (const Token token : drafted) EXPECT_LT(token, vocab() - 200);
  }
}

TEST_F(ModelDrafterTest, DraftsForTargetsWithMoreTokens) {
  const auto more = drafter({.target_vocab = vocab() + 9});
  const sampling::SamplerOptions options = {
      .temperature = 3, .frequency_penalty = 0.5, .logit_bias = {{vocab() + 6, 100.0}}};
  sampling::TokenCounts counts({});
  counts.add(vocab() + 6);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    text_.push_back(vocab() + static_cast<Token>(seed % 9));
    const auto drafted = draft(*more, text_, {}, {options, seed, counts});
    EXPECT_EQ(drafted.size(), 4u);
    for (const Token token : drafted) EXPECT_LT(token, vocab());
  }
}

// Daliri, Musco, Suresh 2024, on Gumbel sampling; the target's distribution over all tokens, the draft's
// over those of its head.
TEST_F(ModelDrafterTest, AgreesWithTheTargetAsOftenAsTheirDistributionsSay) {
  constexpr int kDraws = 20'000;
  const std::vector<Token> tokens = {3, 40, 41, 99, 200, 273};
  const std::vector<int> layers = {2};
  const model::Model shallow = test::shallow_model(tiny_.model, layers, tokens);
  const auto engine = engine::make_engine(shallow, {.threads = 1});
  ModelDrafter drafter(std::make_shared<test::CountingEngine>(*engine),
                       make_stop_policy({"static", 1, 0}),
                       {.longest = 1, .target_vocab = vocab(), .head_tokens = tokens});
  const auto cache = engine->make_cache(100);
  engine::Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, text_, true);
  engine->forward(pass);

  // The target's are near the draft's, and elsewhere small.
  const auto draft_logits = pass.logits_of(static_cast<int>(text_.size()) - 1);
  std::vector<float> target_logits(static_cast<std::size_t>(vocab()), -6.0f);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    target_logits[static_cast<std::size_t>(tokens[i])] =
        draft_logits[i] + 0.4f * static_cast<float>(i);

  for (const sampling::SamplerOptions& options :
       {sampling::SamplerOptions{.temperature = 1}, {.temperature = 0.7, .top_p = 0.7}}) {
    const sampling::TokenCounts counts({});
    sampling::TokenChoice target(vocab()), draft_choice(tokens);
    sampling::Distribution p, q;
    target.distribute({options, 0, counts}, target_logits, p);
    draft_choice.distribute({options, 0, counts}, draft_logits, q);
    double expected = 0;
    for (Token v = 0; v < vocab(); ++v) {
      if (p.of(v) == 0 || q.of(v) == 0) continue;
      double ratios = 0;
      for (Token w = 0; w < vocab(); ++w) ratios += std::max(p.of(w) / p.of(v), q.of(w) / q.of(v));
      expected += 1 / ratios;
    }
    int agree = 0;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      const sampling::SequenceSampling sampling = {options, seed, counts};
      drafter.start(std::span(text_).first(text_.size() - 1), 0);
      const std::vector<Token> drafted = draft(drafter, text_, {}, sampling);
      agree += drafted.at(0) == target.choose(sampling, target_logits, std::ssize(text_));
    }
    EXPECT_GT(expected, 0.3);
    EXPECT_LT(expected, 0.99);
    EXPECT_NEAR(static_cast<double>(agree) / kDraws, expected,
                test::binomial_bound(expected, kDraws, 1e-10));
  }
}

TEST_F(ModelDrafterTest, TellsReadingTheTextFromDrafting) {
  const auto drafter = this->drafter();
  drafter->start(text_, 0);
  draft(*drafter, text_);
  const auto divided = drafter->report(100).seconds;
  ASSERT_EQ(divided.size(), 2u);
  EXPECT_EQ(divided[0].name, "ssd");
  EXPECT_EQ(divided[1].name, "ssd-prefill");
  EXPECT_GT(divided[1].seconds, 0);
  EXPECT_LT(divided[1].seconds, 50);
  EXPECT_DOUBLE_EQ(divided[0].seconds + divided[1].seconds, 100);
}

}  // namespace
}  // namespace outrider::draft
