#include "calibrate/replay/replay.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "calibrate/answers/stored_answers.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/draft/ngram/bigram_drafter.h"
#include "runtime/draft/ngram/context_ngram_drafter.h"
#include "runtime/draft/ngram/ngrammys_drafter.h"
#include "runtime/draft/ngram/unigram_drafter.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

/// Passes a drafter's calls on and notes them.
class Recorder : public draft::Drafter {
 public:
  explicit Recorder(std::unique_ptr<draft::Drafter> inner) : inner_(std::move(inner)) {}

  struct Step {
    std::size_t committed;
    int depth;
    int nodes;
    int drafted;
    // How the target chooses.
    double temperature;
    std::uint64_t seed;
    std::map<Token, std::pair<bool, int>> counts;
    bool operator==(const Step&) const = default;
  };
  std::vector<Step> steps;
  struct Verified {
    std::vector<int> accepted;
    Token next;
    bool operator==(const Verified&) const = default;
  };
  std::vector<Verified> outcomes;

  std::string name() const override { return inner_->name(); }
  int begin(const draft::TextStart& text) override { return inner_->start(text); }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    inner_->draft(context, tree);
    const sampling::SequenceSampling& sampling = context.sampling;
    steps.push_back({context.committed.size(),
                     tree.limits().depth,
                     tree.limits().nodes,
                     tree.num_drafted(),
                     sampling.options.temperature,
                     sampling.seed,
                     {}});
    for (const auto& [token, in_prompt, in_text] : sampling.counts.counts())
      steps.back().counts[token] = {in_prompt, in_text};
  }
  void verified(std::span<const int> accepted, Token next) override {
    outcomes.push_back({{accepted.begin(), accepted.end()}, next});
    inner_->verified(accepted, next);
  }

 private:
  std::unique_ptr<draft::Drafter> inner_;
};

using Make = std::unique_ptr<draft::Drafter> (*)(int vocab);

/// A table that is right now and then: tiny models repeat themselves.
draft::TablesPtr some_table(int vocab) {
  auto tables = std::make_shared<draft::NgramTables>();
  tables->top = 12;
  for (Token token = 0; token < vocab; ++token) {
    tables->unigram.push_back(token);
    for (int rank = 0; rank < tables->top; ++rank) {
      tables->next.push_back((token + rank) % vocab);
      tables->log_probs.push_back(-1 - static_cast<float>(rank));
    }
  }
  return tables;
}

const std::vector<std::pair<const char*, Make>> kDrafters = {
    {"pld",
     [](int) -> std::unique_ptr<draft::Drafter> {
       return std::make_unique<draft::Pld>(draft::PldOptions{3, 10});
     }},
    {"context-ngram",
     [](int) -> std::unique_ptr<draft::Drafter> {
       return std::make_unique<draft::ContextNgram>(
           draft::ContextNgramOptions{.query = 1, .draft_length = 4, .drafts = 25});
     }},
    {"unigram",
     [](int vocab) -> std::unique_ptr<draft::Drafter> {
       return std::make_unique<draft::Unigram>(some_table(vocab), 40);
     }},
    {"bigram",
     [](int vocab) -> std::unique_ptr<draft::Drafter> {
       return std::make_unique<draft::Bigram>(
           some_table(vocab), draft::BigramOptions{.drafts = 12, .draft_length = 3});
     }},
    {"ngrammys",
     [](int vocab) -> std::unique_ptr<draft::Drafter> {
       return std::make_unique<draft::NGrammys>(
           some_table(vocab), draft::NGrammysOptions{.query = 1, .drafts = 12, .draft_length = 10});
     }},
};

/// Decodes and replays, with limits that end some texts by length, some by the context and, with
/// `ends`, by an end token.
void compare(const char* name, Make make, std::uint64_t seed, double temperature, bool ends,
             std::int64_t& accepted) {
  test::TinyEngine target(model::WeightType::kQ4_1, seed, 1);
  const int vocab = target.engine.config().vocab;
  const auto prompt = test::random_tokens(30, 12, seed);
  const int context = seed % 2 == 0 ? 70 : 200;
  decode::DecodeLimits limits = {.max_new = 50};
  sampling::SamplerOptions options = {.temperature = temperature};
  if (seed % 2 == 0) options.frequency_penalty = 0.01;
  sampling::Sampler sampler(options, vocab, seed);
  if (ends) {
    const auto plain =
        decode::Decoder(target.engine, context).decode(prompt, sampler, nullptr, limits);
    limits.end_tokens = {plain.tokens[30]};
  }
  Recorder decoding(make(vocab)), replaying(make(vocab));
  decode::Decoder decoder(target.engine, context);
  const auto decoded = decoder.decode(prompt, sampler, &decoding, limits);
  Answer answer{"p", "t", prompt, 30};
  answer.tokens.insert(answer.tokens.end(), decoded.tokens.begin(), decoded.tokens.end());
  answer.max_new = limits.max_new;
  answer.context = context;
  answer.sampler = options;
  answer.sequence_seed = seed;

  const Replay replayed = replay(answer, &replaying);
  EXPECT_EQ(replaying.steps, decoding.steps) << name;
  EXPECT_EQ(replaying.outcomes, decoding.outcomes) << name;
  EXPECT_EQ(replayed.passes, decoded.stats.passes) << name;
  EXPECT_EQ(replayed.drafted, decoded.stats.drafted) << name;
  EXPECT_EQ(replayed.accepted, decoded.stats.accepted) << name;
  EXPECT_EQ(replayed.cut_rounds, decoded.stats.cut_rounds) << name;
  EXPECT_EQ(replayed.rows.by_source, decoded.stats.rows.by_source) << name;
  EXPECT_EQ(replayed.acceptance, decoded.stats.acceptance) << name;
  EXPECT_EQ(replayed.tokens, std::ssize(decoded.tokens) - 1) << name;
  accepted += replayed.accepted;
}

TEST(Replay, IsDecodingPassByPass) {
  for (const auto& [name, make] : kDrafters) {
    std::int64_t accepted = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      for (const double temperature : {0.0, 0.6, 1.0})
        for (const bool ends : {false, true})
          compare(name, make, seed, temperature, ends, accepted);
    EXPECT_GE(accepted, 30) << name;
  }
}

TEST(Replay, WithoutLimitsAnAnswerEndsWhereItHadTo) {
  const Answer answer{"p", "t", {7, 8, 7, 8, 7, 8, 7, 8}, 4};
  draft::Pld drafter({.ngram = 1, .draft_length = 3});
  // The prefill gives the first token of four, a draft of two the rest: a third could not be kept.
  const Replay replayed = replay(answer, &drafter);
  EXPECT_EQ(replayed.passes, 1);
  EXPECT_EQ(replayed.drafted, 2);
  EXPECT_EQ(replayed.accepted, 2);
  EXPECT_EQ(replayed.tokens, 3);
  EXPECT_EQ(replayed.passes_by_drafted, (std::map<int, std::int64_t>{{2, 1}}));
  EXPECT_EQ(predicted_seconds(replayed, [](int rows) { return 0.5 * rows; }), 1.5);
}

TEST(Replay, LeavesLoopsOutAndContinuesAfterThem) {
  const Answer answer = {
      "p", "t", {1, 2, 3, 9, 1, 2, 5, 5, 5, 5, 5, 3, 9, 6}, 4, {0, 0, 1, 1, 1, 1, 1, 0, 0, 0}};
  draft::Pld drafter({.ngram = 1, .draft_length = 2, .published = true});
  const Replay replayed = replay(answer, &drafter);
  // "2 3" and the loop begins; after it "5 5", which is wrong; then "9".
  ASSERT_EQ(replayed.by_pass.size(), 3u);
  EXPECT_EQ(replayed.by_pass[0].accepted, 1);
  EXPECT_EQ(replayed.by_pass[1].drafted, 2);
  EXPECT_EQ(replayed.by_pass[1].accepted, 0);
  EXPECT_EQ(replayed.by_pass[2].drafted, 1);
  EXPECT_EQ(replayed.tokens, 4);
  EXPECT_EQ(replayed.accepted, 2);
}

TEST(Replay, TokensCopiedInALoopAreNotCountedAsAccepted) {
  // The draft "6 5 5 5" is right to its end.
  const Answer answer = {
      "p", "t", {4, 6, 5, 5, 5, 5, 8, 4, 6, 5, 5, 5, 5, 9}, 7, {0, 0, 1, 1, 1, 1, 0}};
  draft::Pld drafter({.ngram = 1, .draft_length = 4});
  const Replay replayed = replay(answer, &drafter);
  ASSERT_EQ(replayed.by_pass.size(), 2u);
  EXPECT_EQ(replayed.by_pass[0].drafted, 4);
  EXPECT_EQ(replayed.by_pass[0].accepted, 1);
  EXPECT_EQ(replayed.by_pass[1].accepted, 0);
  EXPECT_EQ(replayed.tokens, 2);
}

TEST(Answer, LosesOnlyTheLoopThatItEndsIn) {
  data::Trace trace;
  trace.prompt_tokens = {7, 8};
  trace.output_tokens = {1, 1, 1, 1, 2, 3, 3, 3, 3};
  trace.in_loop = {1, 1, 1, 1, 0, 1, 1, 1, 1};
  const Answer answer = answer_of(trace);
  EXPECT_EQ(answer.tokens, (std::vector<Token>{7, 8, 1, 1, 1, 1, 2}));
  EXPECT_EQ(answer.prompt, 2);
  EXPECT_FALSE(answer.loops_at(1));
  EXPECT_TRUE(answer.loops_at(2));
  EXPECT_FALSE(answer.loops_at(6));
  EXPECT_EQ(answer.after_loop(2), 6u);
  EXPECT_EQ(answer.next_loop(6), 7u);
  EXPECT_EQ(answer.next_loop(3), 3u);
  trace.in_loop.assign(9, 1);
  EXPECT_EQ(answer_of(trace).made(), 0);
}

TEST(Replay, AnEmptyAnswerTakesNoPass) {
  const Answer answer{"p", "t", {7, 8}, 2};
  draft::Pld drafter({.ngram = 1, .draft_length = 9});
  EXPECT_EQ(replay(answer, &drafter).passes, 0);
}

}  // namespace
}  // namespace outrider::calibrate
