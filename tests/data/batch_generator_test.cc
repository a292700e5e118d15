#include "data/generate/batch_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "runtime/base/error.h"
#include "runtime/decode/decode_loop.h"
#include "tests/support/tiny_engine.h"

namespace outrider::data {
namespace {

using test::random_tokens;
using test::TinyEngine;

constexpr int kMaxNew = 24;
const sampling::SamplerOptions kEverything = test::every_sampler_option();

/// The texts of a conversation: prompts of random tokens, each after the answer before it.
struct Script {
  std::vector<std::vector<Token>> turns;
  std::vector<std::vector<Token>> given;  // answers to score; empty: the target's own
  sampling::SamplerOptions sampler;
  std::uint64_t seed = 0;
  int context = 200;
  bool goes_back = false;  // every turn drops half of the text before
};

class Scripted : public Conversation {
 public:
  Scripted(const Script& script, std::vector<Trace>& answers)
      : script_(script), answers_(answers) {}
  int context() const override { return script_.context; }

  std::optional<Turn> next() override {
    const std::size_t turn = answers_.size();
    if (turn == script_.turns.size()) return std::nullopt;
    if (script_.goes_back) text_.resize(text_.size() / 2);
    text_.insert(text_.end(), script_.turns[turn].begin(), script_.turns[turn].end());
    if (static_cast<int>(text_.size()) >= script_.context) return std::nullopt;
    Turn asked;
    asked.trace.prompt_tokens = text_;
    asked.trace.sequence_seed = script_.seed + turn;
    asked.sampler = script_.sampler;
    if (!script_.given.empty()) asked.given_answer = script_.given[turn];
    return asked;
  }
  void answered(Trace trace) override {
    text_.insert(text_.end(), trace.output_tokens.begin(), trace.output_tokens.end());
    answers_.push_back(std::move(trace));
  }

 private:
  const Script& script_;
  std::vector<Trace>& answers_;
  std::vector<Token> text_;
};

std::vector<Script> scripts(int count, int vocab, const sampling::SamplerOptions& sampler) {
  std::vector<Script> all;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t seed = static_cast<std::uint64_t>(100 * i);
    Script script;
    script.turns = {random_tokens(1 + 7 * i % 90, vocab, seed)};
    if (i % 4 < 3) {
      // As with a system message, and with samples of one prompt: they begin alike.
      const auto common = random_tokens(40, vocab, 77);
      script.turns[0].insert(script.turns[0].begin(), common.begin(), common.end());
    }
    if (i % 4 == 2) script.turns[0] = all.back().turns[0];
    if (i % 3 == 0) script.turns.push_back(random_tokens(1 + i % 20, vocab, seed + 1));
    script.goes_back = i % 2 == 0;
    script.sampler = sampler;
    script.seed = seed;
    // Some end where the context does.
    if (i % 5 == 4) script.context = static_cast<int>(script.turns[0].size()) + 9;
    all.push_back(std::move(script));
  }
  return all;
}

using Answers = std::vector<std::vector<Trace>>;  // [conversation][turn]

Answers generate(engine::Engine& engine, const std::vector<Script>& all, BatchOptions options) {
  Answers answers(all.size());
  std::size_t begun = 0;
  BatchGenerator generator(engine, std::move(options));
  EXPECT_TRUE(generator.run([&]() -> std::unique_ptr<Conversation> {
    if (begun == all.size()) return nullptr;
    const std::size_t i = begun++;
    return std::make_unique<Scripted>(all[i], answers[i]);
  }));
  return answers;
}

BatchOptions options(int batch, int prefill_rows = 16) {
  BatchOptions all;
  all.batch = batch;
  all.limits.prefill_chunk = prefill_rows;
  all.top = 8;
  all.limits.max_new = kMaxNew;
  all.limits.end_tokens = {2, 7, 40};
  return all;
}

/// The same conversations, one after the other, by the loop of `runtime decode`.
Answers decode_alone(engine::Engine& engine, const std::vector<Script>& all) {
  const decode::DecodeLimits limits = options(1).limits;
  Answers answers;
  for (const Script& script : all) {
    decode::Decoder decoder(engine, script.context);
    std::vector<Token> text;
    answers.emplace_back();
    for (std::size_t turn = 0; turn < script.turns.size(); ++turn) {
      if (script.goes_back) text.resize(text.size() / 2);
      text.insert(text.end(), script.turns[turn].begin(), script.turns[turn].end());
      if (static_cast<int>(text.size()) >= script.context) break;
      sampling::Sampler sampler(script.sampler, engine.config().vocab, script.seed + turn);
      const decode::DecodeResult result = decoder.decode(text, sampler, nullptr, limits);
      Trace trace;
      trace.prompt_tokens = text;
      trace.output_tokens = result.tokens;
      trace.finish = result.finish;
      text.insert(text.end(), result.tokens.begin(), result.tokens.end());
      answers.back().push_back(std::move(trace));
    }
  }
  return answers;
}

class AnyNumerics : public testing::TestWithParam<model::WeightType> {};

TEST_P(AnyNumerics, AnswersAsOneSequenceAloneWould) {
  std::set<decode::FinishReason> reasons;
  for (const int threads : {1, 3}) {
    TinyEngine tiny(GetParam(), 5, threads);
    for (const sampling::SamplerOptions& sampler : {sampling::SamplerOptions{}, kEverything}) {
      const auto all = scripts(23, tiny.engine.config().vocab, sampler);
      const Answers alone = decode_alone(tiny.engine, all);
      for (const int batch : {1, 2, 7, 32}) {
        for (const int prefill_rows : {1, 16, 400}) {
          const Answers batched = generate(tiny.engine, all, options(batch, prefill_rows));
          for (std::size_t i = 0; i < all.size(); ++i) {
            ASSERT_EQ(batched[i].size(), alone[i].size()) << i;
            for (std::size_t turn = 0; turn < alone[i].size(); ++turn) {
              EXPECT_EQ(batched[i][turn].prompt_tokens, alone[i][turn].prompt_tokens);
              EXPECT_EQ(batched[i][turn].output_tokens, alone[i][turn].output_tokens)
                  << "conversation " << i << ", turn " << turn << ", batch " << batch;
              EXPECT_EQ(batched[i][turn].finish, alone[i][turn].finish);
              reasons.insert(alone[i][turn].finish);
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(reasons.size(), 3u);  // stop, length and context all occur
}

void expect_equal_scores(const Trace& a, const Trace& b) {
  EXPECT_EQ(a.output_tokens, b.output_tokens);
  EXPECT_EQ(a.top_ids, b.top_ids);
  EXPECT_EQ(a.top_log_probs, b.top_log_probs);
  EXPECT_EQ(a.entropies, b.entropies);
  EXPECT_EQ(a.tail_masses, b.tail_masses);
  ASSERT_EQ(a.states.size(), b.states.size());
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    EXPECT_EQ(a.states[i].layer, b.states[i].layer);
    EXPECT_EQ(a.states[i].values, b.states[i].values);
  }
}

TEST_P(AnyNumerics, ScoresAndStatesDoNotDependOnBatchThreadsOrChunks) {
  std::vector<Trace> first;
  for (const int threads : {1, 2}) {
    TinyEngine tiny(GetParam(), 6, threads);
    const auto all = scripts(12, tiny.engine.config().vocab, kEverything);
    for (const int batch : {1, 5, 32}) {
      BatchOptions asked = options(batch, batch == 5 ? 3 : 50);
      asked.layers = {0, 1, 2, engine::kFinalNorm};
      std::vector<Trace> traces;
      for (const auto& turns : generate(tiny.engine, all, asked))
        traces.insert(traces.end(), turns.begin(), turns.end());
      if (first.empty()) first = traces;
      ASSERT_EQ(traces.size(), first.size());
      for (std::size_t i = 0; i < traces.size(); ++i) {
        SCOPED_TRACE(testing::Message() << "trace " << i << ", batch " << batch);
        expect_equal_scores(traces[i], first[i]);
        const std::size_t width = static_cast<std::size_t>(tiny.engine.config().width);
        for (const LayerStates& layer : traces[i].states)
          EXPECT_EQ(layer.values.size(), traces[i].positions() * width);
      }
    }
  }
}

TEST_P(AnyNumerics, AGivenAnswerGetsTheScoresThatTheTargetsOwnHad) {
  TinyEngine tiny(GetParam(), 7, 2);
  auto all = scripts(12, tiny.engine.config().vocab, kEverything);
  BatchOptions asked = options(5);
  asked.layers = {1};
  const Answers own = generate(tiny.engine, all, asked);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].turns.resize(own[i].size());
    for (const Trace& trace : own[i]) all[i].given.push_back(trace.output_tokens);
  }
  for (const int prefill_rows : {3, 64}) {
    asked.limits.prefill_chunk = prefill_rows;
    const Answers given = generate(tiny.engine, all, asked);
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(given[i].size(), own[i].size());
      for (std::size_t turn = 0; turn < own[i].size(); ++turn)
        expect_equal_scores(given[i][turn], own[i][turn]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Numerics, AnyNumerics,
                         testing::Values(model::WeightType::kF32, model::WeightType::kQ4_1));

TEST(BatchGenerator, CutsAGivenAnswerAtTheLimitAndAtTheContext) {
  TinyEngine tiny(model::WeightType::kF32, 8, 1);
  const int vocab = tiny.engine.config().vocab;
  Script script;
  script.turns = {random_tokens(10, vocab, 1)};
  script.given = {random_tokens(kMaxNew + 5, vocab, 2)};
  std::vector<Script> all = {script, script, script};
  all[1].given[0].resize(3);
  all[2].context = 16;
  const Answers answers = generate(tiny.engine, all, options(2));
  EXPECT_EQ(answers[0][0].output_tokens.size(), static_cast<std::size_t>(kMaxNew));
  EXPECT_EQ(answers[0][0].finish, decode::FinishReason::kLength);
  EXPECT_EQ(answers[1][0].output_tokens, all[1].given[0]);
  EXPECT_EQ(answers[1][0].finish, decode::FinishReason::kStop);
  EXPECT_EQ(answers[2][0].output_tokens.size(), 6u);
  EXPECT_EQ(answers[2][0].finish, decode::FinishReason::kContext);
}

TEST(BatchGenerator, MarksTheAnswerForLearningAndItsLoops) {
  TinyEngine tiny(model::WeightType::kF32, 8, 1);
  Script script;
  script.turns = {random_tokens(5, tiny.engine.config().vocab, 1)};
  script.given = {{9, 9, 9, 9, 9, 11}};
  const Trace trace = generate(tiny.engine, {script}, options(1))[0][0];
  EXPECT_EQ(trace.loss_mask, (std::vector<std::uint8_t>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(trace.in_loop, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 0}));
}

TEST(BatchGenerator, FillsThePassesThatDecodeAlone) {
  TinyEngine tiny(model::WeightType::kF32, 9, 1);
  const auto all = scripts(40, tiny.engine.config().vocab, kEverything);
  std::size_t begun = 0;
  Answers answers(all.size());
  BatchGenerator generator(tiny.engine, options(8, 32));
  generator.run([&]() -> std::unique_ptr<Conversation> {
    if (begun == all.size()) return nullptr;
    const std::size_t i = begun++;
    return std::make_unique<Scripted>(all[i], answers[i]);
  });
  std::int64_t tokens = 0;
  for (const auto& turns : answers)
    for (const Trace& trace : turns)
      tokens += static_cast<std::int64_t>(trace.output_tokens.size());
  EXPECT_EQ(generator.stats().output_tokens, tokens);
  // Replaced at once: but for prefill and the end, eight at a time.
  EXPECT_GT(tokens, 5 * generator.stats().passes);
}

TEST(BatchGenerator, ForwardsWhatConversationsBeginWithOnce) {
  TinyEngine tiny(model::WeightType::kF32, 9, 1);
  Script script;
  script.turns = {random_tokens(50, tiny.engine.config().vocab, 1)};
  script.sampler = kEverything;
  std::vector<Script> all(20, script);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].seed = i;
  std::size_t begun = 0;
  Answers answers(all.size());
  BatchGenerator generator(tiny.engine, options(4));
  generator.run([&]() -> std::unique_ptr<Conversation> {
    if (begun == all.size()) return nullptr;
    const std::size_t i = begun++;
    return std::make_unique<Scripted>(all[i], answers[i]);
  });
  std::int64_t needed = 0;
  for (const auto& turns : answers) needed += static_cast<std::int64_t>(turns[0].positions());
  // Of conversations beside them, or of those that they follow.
  const std::int64_t shared = generator.stats().shared_rows + generator.stats().kept_rows;
  EXPECT_EQ(generator.stats().rows + shared, needed);
  // All but the last token of a prompt, whose row predicts, wherever somebody is there to give it.
  EXPECT_GE(shared, 15 * 49);
  EXPECT_GT(generator.stats().shared_rows, 0);
}

TEST(BatchGenerator, HoldsNoMoreThanTheCachesHaveRoomFor) {
  TinyEngine tiny(model::WeightType::kF32, 9, 1);
  auto all = scripts(20, tiny.engine.config().vocab, kEverything);
  for (Script& script : all) script.context = 128;
  all[7].context = 500;
  BatchOptions asked = options(32, 400);
  asked.cache_tokens = 4 * 128;
  std::size_t begun = 0, most = 0;
  Answers answers(all.size());
  BatchGenerator generator(tiny.engine, asked);
  generator.run([&]() -> std::unique_ptr<Conversation> {
    if (begun == all.size()) return nullptr;
    const auto ended = std::count_if(answers.begin(), answers.end(),
                                     [](const auto& turns) { return !turns.empty(); });
    most = std::max(most, begun - static_cast<std::size_t>(ended));
    const std::size_t i = begun++;
    return std::make_unique<Scripted>(all[i], answers[i]);
  });
  EXPECT_LE(most, 5u);  // four, and one that waits
  const Answers unbounded = generate(tiny.engine, all, options(32, 400));
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(answers[i].size(), unbounded[i].size());
    expect_equal_scores(answers[i][0], unbounded[i][0]);
  }
}

TEST(BatchGenerator, RefusesATurnWithoutTokens) {
  TinyEngine tiny(model::WeightType::kF32, 8, 1);
  Script empty;
  empty.turns = {{}};
  BatchOptions ended = options(2);
  int passes = 0;
  ended.limits.interrupted = [&] { return ++passes > 100; };  // instead of going on for ever
  EXPECT_THROW(generate(tiny.engine, {empty}, ended), InputError);
}

TEST(BatchGenerator, BreaksOffWhenInterrupted) {
  TinyEngine tiny(model::WeightType::kF32, 9, 1);
  const auto all = scripts(40, tiny.engine.config().vocab, {});
  std::size_t begun = 0;
  Answers answers(all.size());
  int asked = 0;
  BatchOptions broken = options(4);
  broken.limits.interrupted = [&] { return ++asked > 40; };
  BatchGenerator generator(tiny.engine, broken);
  EXPECT_FALSE(generator.run([&]() -> std::unique_ptr<Conversation> {
    const std::size_t i = begun++;
    return std::make_unique<Scripted>(all[i], answers[i]);
  }));
  EXPECT_LT(begun, all.size());
  EXPECT_FALSE(answers[0].empty());
}

}  // namespace
}  // namespace outrider::data
