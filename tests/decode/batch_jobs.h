#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "runtime/decode/batch.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld_plus_a_drafter.h"
#include "runtime/draft/copy/pld_plus_h_drafter.h"
#include "runtime/draft/ngram/context_ngram_drafter.h"
#include "tests/support/random_tree.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {

inline const sampling::SamplerOptions kPlainest = {};
inline const sampling::SamplerOptions kAllOptions = test::every_sampler_option();

/// Drafts random trees, some nodes of which are tokens of the text that is to come.
class RandomDrafter : public draft::Drafter {
 public:
  RandomDrafter(std::vector<Token> text, int vocab, std::uint64_t seed)
      : text_(std::move(text)), vocab_(vocab), random_(seed) {}

  std::string name() const override { return "random"; }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    const std::size_t begin = context.committed.size();
    int node = 0;
    for (std::size_t i = 0; i < random_() % 6 && node != draft::TokenTree::kNone; ++i) {
      for (int wrong = static_cast<int>(random_() % 3); wrong > 0; --wrong)
        tree.add(node, static_cast<Token>(random_() % static_cast<std::uint64_t>(vocab_)));
      if (begin + i < text_.size()) node = tree.add(node, text_[begin + i]);
    }
  }

 private:
  std::vector<Token> text_;
  int vocab_;
  std::mt19937_64 random_;
};

/// A text to decode.
struct Job {
  std::vector<Token> prompt;
  sampling::SamplerOptions sampler = {};
  std::uint64_t seed = 0;
  DecodeLimits limits = {};
  int context = 200;
  std::function<std::unique_ptr<draft::Drafter>()> new_drafter = {};
};

inline sampling::Sampler sampler_of(const Job& job, int vocab) {
  return {job.sampler, vocab, job.seed};
}

/// What it gives alone.
inline DecodeResult alone(engine::Engine& engine, const Job& job) {
  Decoder decoder(engine, job.context);
  const auto drafter = job.new_drafter ? job.new_drafter() : nullptr;
  return decoder.decode(job.prompt, sampler_of(job, engine.config().vocab), drafter.get(),
                        job.limits);
}

inline Request request_of(const Job& job, int vocab) {
  return {.text = job.prompt,
          .sampler = sampler_of(job, vocab),
          .limits = job.limits,
          .context = job.context,
          .new_drafter = job.new_drafter};
}

/// Keeps what it is told.
class Ear : public SequenceListener {
 public:
  bool take(Token token, const draft::Origin& origin, const sampling::RowScores*) override {
    tokens.push_back(token);
    origins.push_back(origin.source);
    if (on_token) on_token();
    return tokens.size() != stop_after;
  }
  void end(DecodeResult of_text) override {
    EXPECT_FALSE(result);
    result = std::move(of_text);
    if (on_end) on_end();
  }

  std::vector<Token> tokens;
  std::vector<draft::Source> origins;
  std::size_t stop_after = 0;  // 0: never
  std::function<void()> on_token, on_end;
  std::optional<DecodeResult> result;
};

inline void expect_same(const DecodeResult& found, const DecodeResult& expected) {
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_EQ(found.finish, expected.finish);
  EXPECT_EQ(found.stats.passes, expected.stats.passes);
  EXPECT_EQ(found.stats.drafted, expected.stats.drafted);
  EXPECT_EQ(found.stats.accepted, expected.stats.accepted);
  EXPECT_EQ(found.stats.cut_rounds, expected.stats.cut_rounds);
  EXPECT_EQ(found.stats.rows, expected.stats.rows);
}

/// Texts of many lengths that begin alike or not, plain and drafted, some of which end early or where the context does.
inline std::vector<Job> jobs(engine::Engine& engine, int count,
                             const sampling::SamplerOptions& sampler) {
  const int vocab = engine.config().vocab;
  std::vector<Job> all;
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    Job job;
    job.prompt = test::random_tokens(1 + 17 * i % 60, vocab, 100 + seed);
    if (i % 3 != 0) {
      const auto common = test::random_tokens(40, vocab, 77);
      job.prompt.insert(job.prompt.begin(), common.begin(), common.end());
    }
    job.sampler = sampler;
    job.seed = seed;
    job.limits = {.max_new = 20 + i % 9, .end_tokens = {2, 7, 40}};
    if (i % 5 == 4) job.context = static_cast<int>(job.prompt.size()) + 9;
    if (i % 4 != 3) {
      std::vector<Token> text = job.prompt;
      const auto plain = alone(engine, job).tokens;
      text.insert(text.end(), plain.begin(), plain.end());
      job.new_drafter = [text, vocab, seed]() -> std::unique_ptr<draft::Drafter> {
        switch (seed % 5) {
          case 0:
            return std::make_unique<draft::PldPlusA>(
                draft::PldPlusAOptions{.heads = {{1, 0}, {2, 3}}, .draft_length = 4});
          case 1:
            return std::make_unique<draft::PldPlusH>(
                draft::PldPlusHOptions{.layer = 1, .draft_length = 4, .logit_weight = 0.5});
          case 2:
            return std::make_unique<draft::ContextNgram>(
                draft::ContextNgramOptions{.query = 1, .draft_length = 3, .drafts = 3});
          default:
            return std::make_unique<RandomDrafter>(text, vocab, seed);
        }
      };
    }
    all.push_back(std::move(job));
  }
  return all;
}

inline std::vector<DecodeResult> each_alone(engine::Engine& engine, const std::vector<Job>& all) {
  std::vector<DecodeResult> results;
  for (const Job& job : all) results.push_back(alone(engine, job));
  return results;
}

class Batches : public testing::Test {
 protected:
  SequenceId add(Batch& batch, const Job& job, Ear& ear) {
    return batch.add(request_of(job, vocab_), ear);
  }
  static void run(Batch& batch) {
    while (batch.step()) {
    }
  }

  test::TinyEngine tiny_{model::WeightType::kQ4_1, 4, 2};
  engine::Engine& engine_ = tiny_.engine;
  const int vocab_ = engine_.config().vocab;
  const std::vector<Job> jobs_ = jobs(engine_, 12, kAllOptions);
  const std::vector<DecodeResult> expected_ = each_alone(engine_, jobs_);
};

}  // namespace outrider::decode
