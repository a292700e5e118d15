#include "runtime/decode/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "runtime/base/error.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/pld.h"
#include "runtime/draft/copy/pld_plus_a.h"
#include "runtime/draft/copy/pld_plus_h.h"
#include "runtime/draft/ngram/context_ngram.h"
#include "tests/support/random_tree.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

using test::random_tokens;
using test::TinyEngine;

const sampling::SamplerOptions kPlainest = {};
const sampling::SamplerOptions kAllOptions = test::every_sampler_option();

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

sampling::Sampler sampler_of(const Job& job, int vocab) { return {job.sampler, vocab, job.seed}; }

/// What it gives alone.
DecodeResult alone(engine::Engine& engine, const Job& job) {
  Decoder decoder(engine, job.context);
  const auto drafter = job.new_drafter ? job.new_drafter() : nullptr;
  return decoder.decode(job.prompt, sampler_of(job, engine.config().vocab), drafter.get(),
                        job.limits);
}

Request request_of(const Job& job, int vocab) {
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

void expect_same(const DecodeResult& found, const DecodeResult& expected) {
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_EQ(found.finish, expected.finish);
  EXPECT_EQ(found.stats.passes, expected.stats.passes);
  EXPECT_EQ(found.stats.drafted, expected.stats.drafted);
  EXPECT_EQ(found.stats.accepted, expected.stats.accepted);
  EXPECT_EQ(found.stats.cut_rounds, expected.stats.cut_rounds);
  EXPECT_EQ(found.stats.rows, expected.stats.rows);
}

/// Texts of many lengths that begin alike or not, plain and drafted, some of which end early or where the context does.
std::vector<Job> jobs(engine::Engine& engine, int count, const sampling::SamplerOptions& sampler) {
  const int vocab = engine.config().vocab;
  std::vector<Job> all;
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    Job job;
    job.prompt = random_tokens(1 + 17 * i % 60, vocab, 100 + seed);
    if (i % 3 != 0) {
      const auto common = random_tokens(40, vocab, 77);
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

std::vector<DecodeResult> each_alone(engine::Engine& engine, const std::vector<Job>& all) {
  std::vector<DecodeResult> results;
  for (const Job& job : all) results.push_back(alone(engine, job));
  return results;
}

class TextsOfABatch : public testing::TestWithParam<model::WeightType> {};

TEST_P(TextsOfABatch, DecodesEachTextAsAlone) {
  std::set<FinishReason> reasons;
  for (const int threads : {1, 3}) {
    TinyEngine tiny(GetParam(), 5, threads);
    const int vocab = tiny.engine.config().vocab;
    for (const sampling::SamplerOptions& sampler : {kPlainest, kAllOptions}) {
      const auto all = jobs(tiny.engine, 17, sampler);
      const auto expected = each_alone(tiny.engine, all);
      for (const int prompt_rows : {1, 16, 400}) {
        for (const int at_once : {2, 7, 17}) {
          Batch batch(tiny.engine, {.prompt_rows = prompt_rows});
          std::vector<Ear> ears(all.size());
          std::size_t next = 0;
          do {  // some join when others end
            for (; batch.size() < at_once && next < all.size(); ++next)
              batch.add(request_of(all[next], vocab), ears[next]);
          } while (batch.step());
          for (std::size_t i = 0; i < all.size(); ++i) {
            SCOPED_TRACE(testing::Message() << i << " of " << at_once << " by " << prompt_rows);
            ASSERT_TRUE(ears[i].result);
            expect_same(*ears[i].result, expected[i]);
            EXPECT_EQ(ears[i].tokens, expected[i].tokens);
            // Their nodes name their source.
            EXPECT_EQ(std::count(ears[i].origins.begin(), ears[i].origins.end(),
                                 draft::Source::kContext) > 0,
                      expected[i].stats.accepted > 0 && expected[i].stats.rows.tokens > 0);
            reasons.insert(expected[i].finish);
          }
          EXPECT_EQ(batch.size(), 0);
          EXPECT_FALSE(batch.step());
        }
      }
    }
  }
  EXPECT_EQ(reasons.size(), 3u);  // stop, length and context all occur
}

INSTANTIATE_TEST_SUITE_P(Numerics, TextsOfABatch,
                         testing::Values(model::WeightType::kF32, model::WeightType::kQ4_1));

class Batches : public testing::Test {
 protected:
  SequenceId add(Batch& batch, const Job& job, Ear& ear) {
    return batch.add(request_of(job, vocab_), ear);
  }
  static void run(Batch& batch) {
    while (batch.step()) {
    }
  }

  TinyEngine tiny_{model::WeightType::kQ4_1, 4, 2};
  engine::Engine& engine_ = tiny_.engine;
  const int vocab_ = engine_.config().vocab;
  const std::vector<Job> jobs_ = jobs(engine_, 12, kAllOptions);
  const std::vector<DecodeResult> expected_ = each_alone(engine_, jobs_);
};

TEST_F(Batches, LoseNothingWhenSomeAreCancelledAndOthersJoin) {
  std::mt19937_64 random(9);
  for (int again = 0; again < 6; ++again) {
    Batch batch(engine_, {.prompt_rows = 1 + static_cast<int>(random() % 30)});
    std::vector<Ear> ears(jobs_.size());
    std::map<SequenceId, std::size_t> ids;
    std::set<std::size_t> cancelled;
    std::size_t next = 0;
    do {
      if (next < jobs_.size() && random() % 2 == 0)
        ids[add(batch, jobs_[next], ears[next])] = next, ++next;
      for (const auto& [id, i] : ids)
        if (!ears[i].result && random() % 40 == 0) {
          batch.cancel(id);
          cancelled.insert(i);
        }
    } while (batch.step() || next < jobs_.size());
    EXPECT_GE(cancelled.size(), 1u);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      SCOPED_TRACE(i);
      ASSERT_TRUE(ears[i].result);
      if (cancelled.count(i) == 0) {
        expect_same(*ears[i].result, expected_[i]);
        continue;
      }
      EXPECT_EQ(ears[i].result->finish, FinishReason::kInterrupted);
      EXPECT_EQ(ears[i].result->tokens, ears[i].tokens);
      std::vector<Token> same = expected_[i].tokens;
      same.resize(ears[i].tokens.size());
      EXPECT_EQ(ears[i].tokens, same);
    }
  }
}

TEST_F(Batches, EndATextWhereItsListenerDoes) {
  Batch batch(engine_);
  std::vector<Ear> ears(6);
  for (std::size_t i = 0; i < ears.size(); ++i) {
    ears[i].stop_after = i % 2 == 0 ? 5 : 0;
    add(batch, jobs_[i], ears[i]);
  }
  run(batch);
  for (std::size_t i = 0; i < ears.size(); ++i) {
    if (i % 2 != 0) {
      expect_same(*ears[i].result, expected_[i]);
    } else {
      ASSERT_GE(expected_[i].tokens.size(), 5u);
      EXPECT_EQ(ears[i].result->tokens.size(), 5u);
      EXPECT_EQ(ears[i].result->finish, FinishReason::kStop);
    }
  }
}

TEST_F(Batches, GiveTheSameTextsHoweverRowsAreSharedOut) {
  std::mt19937_64 random(3);
  int lowered = 0;
  const ShareRows at_random = [&](std::span<RowShare> sequences, int rows) {
    EXPECT_GE(rows, 0);
    for (RowShare& one : sequences) {
      EXPECT_GT(one.nodes, 0);
      EXPECT_LE(one.stats->accepted, one.stats->drafted);
      one.nodes = std::min(one.nodes, static_cast<int>(random() % 4));  // 0 too
      ++lowered;
    }
  };
  Batch batch(engine_, {.share = at_random});
  std::vector<Ear> ears(jobs_.size());
  for (std::size_t i = 0; i < jobs_.size(); ++i) add(batch, jobs_[i], ears[i]);
  run(batch);
  EXPECT_GT(lowered, 50);
  int accepted = 0;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    EXPECT_EQ(ears[i].tokens, expected_[i].tokens) << i;
    for (const PassDraft& pass : ears[i].result->stats.by_pass) EXPECT_LE(pass.drafted, 3);
    accepted += ears[i].result->stats.accepted;
  }
  EXPECT_GT(accepted, 10);
}

TEST_F(Batches, KeepTheirPassesWithinTheirRows) {
  std::int64_t rows = 0, most = 0;
  Batch batch(engine_, {.prompt_rows = 3, .most_rows = 16});
  std::vector<Ear> ears(10);
  for (std::size_t i = 0; i < ears.size(); ++i) add(batch, jobs_[i], ears[i]);
  while (batch.step()) {
    most = std::max(most, batch.stats().rows - rows);
    rows = batch.stats().rows;
  }
  EXPECT_LE(most, 16);
  EXPECT_GT(most, 10);
  for (std::size_t i = 0; i < ears.size(); ++i) EXPECT_EQ(ears[i].tokens, expected_[i].tokens) << i;
}

TEST_F(Batches, DoNotLetRunningTextsWaitForALongPrompt) {
  Job reader = jobs_[0];
  reader.prompt = random_tokens(120, vocab_, 3);
  Batch batch(engine_, {.prompt_rows = 8});
  Ear runs, reads;
  add(batch, jobs_[3], runs);
  while (runs.tokens.empty()) batch.step();
  add(batch, reader, reads);
  for (int pass = 0; pass < 10; ++pass) {
    const std::size_t before = runs.tokens.size();
    batch.step();
    EXPECT_GT(runs.tokens.size(), before);
  }
  EXPECT_TRUE(reads.tokens.empty());
  run(batch);
  EXPECT_EQ(reads.tokens, alone(engine_, reader).tokens);
}

TEST_F(Batches, ReadWhatTextsBeginWithOnce) {
  Job job = jobs_[3];  // plain
  job.prompt = random_tokens(60, vocab_, 1);
  Batch batch(engine_);
  std::vector<Ear> ears(8);
  for (std::size_t i = 0; i < ears.size(); ++i) {
    job.seed = i;
    add(batch, job, ears[i]);
  }
  run(batch);
  EXPECT_EQ(batch.stats().shared_rows, 7 * 59);
  for (std::size_t i = 0; i < ears.size(); ++i) {
    job.seed = i;
    EXPECT_EQ(ears[i].tokens, alone(engine_, job).tokens);
  }
}

/// Three turns of a conversation with each drafter.
class KeptTurns : public Batches {
 protected:
  /// The texts of the turns. @param name  of the drafter
  std::vector<DecodeResult> converse(Batch& batch, const Job& first, bool goes_on,
                                     const std::string& name = "d") {
    std::vector<DecodeResult> results;
    std::optional<SequenceId> before;
    Job job = first;
    for (int turn = 0; turn < 3; ++turn) {
      Ear ear;
      Request request = request_of(job, vocab_);
      request.reserve = 150;
      if (goes_on) request.after = before;
      request.drafter_name = name;
      before = batch.add(std::move(request), ear);
      run(batch);
      results.push_back(*ear.result);
      job.prompt.insert(job.prompt.end(), ear.tokens.begin(), ear.tokens.end());
      const auto more = random_tokens(7, vocab_, static_cast<std::uint64_t>(turn));
      job.prompt.insert(job.prompt.end(), more.begin(), more.end());
    }
    return results;
  }
};

TEST_F(KeptTurns, HaveTheBitsOfTextsThatAreReadAnew) {
  for (std::size_t i = 0; i < 5; ++i) {
    Job job = jobs_[i];
    job.context = 200;
    Batch anew(engine_), kept(engine_, {.kept_bytes = engine_.cache_bytes(1'000)});
    const auto expected = converse(anew, job, false);
    const auto found = converse(kept, job, false);
    const auto again = converse(kept, job, true);
    EXPECT_EQ(anew.stats().kept_rows, 0);
    EXPECT_EQ(anew.kept(), 0);
    EXPECT_GT(kept.stats().kept_rows, 60);
    EXPECT_GT(kept.stats().turn_rows, 60);
    EXPECT_LE(kept.kept_bytes(), engine_.cache_bytes(1'000));
    for (std::size_t turn = 0; turn < 3; ++turn) {
      EXPECT_EQ(found[turn].tokens, expected[turn].tokens) << i << " " << turn;
      EXPECT_EQ(again[turn].tokens, expected[turn].tokens) << i << " " << turn;
    }
    EXPECT_EQ(found[1].stats.prefilled_rows,
              8);  // what was added, and the last token of the answer
  }
}

TEST_F(KeptTurns, TakeOverADrafterOfTheSameNameOnly) {
  Job job = jobs_[1];
  job.context = 200;
  int made = 0;
  const auto make = [&made] {
    ++made;
    return std::make_unique<draft::PldPlusH>(draft::PldPlusHOptions{.layer = 1});
  };
  job.new_drafter = make;
  Batch batch(engine_, {.kept_bytes = engine_.cache_bytes(4'000)});
  const auto turns = converse(batch, job, true);
  EXPECT_EQ(made, 1);
  // It has seen the rows of the turns before.
  EXPECT_EQ(turns[2].stats.prefilled_rows, 8);
  Ear ear;
  Request other = request_of(job, vocab_);
  other.drafter_name = "another";
  batch.add(std::move(other), ear);
  run(batch);
  EXPECT_EQ(made, 2);
  // A new one has to see every row.
  EXPECT_EQ(ear.result->stats.prefilled_rows, std::ssize(job.prompt));
  EXPECT_EQ(ear.tokens, turns[0].tokens);
}

TEST_F(Batches, DropWhatWasUsedTheLongestAgo) {
  Job job = jobs_[3];
  job.context = 200;
  job.limits.max_new = 8;
  job.limits.end_tokens = {};
  std::vector<Job> three(3, job);
  for (std::size_t i = 0; i < 3; ++i) three[i].prompt = random_tokens(30, vocab_, 50 + i);
  Batch batch(engine_, {.kept_bytes = 2 * engine_.cache_bytes(128)});
  const auto decode = [&](const Job& one) {
    Ear ear;
    const std::int64_t before = batch.stats().kept_rows;
    add(batch, one, ear);
    run(batch);
    EXPECT_EQ(ear.tokens, alone(engine_, one).tokens);
    return batch.stats().kept_rows - before;
  };
  EXPECT_EQ(decode(three[0]), 0);
  EXPECT_EQ(decode(three[1]), 0);
  EXPECT_EQ(decode(three[0]), 29);
  EXPECT_EQ(decode(three[2]), 0);  // and the second one leaves
  EXPECT_LE(batch.kept(), 2);
  EXPECT_EQ(decode(three[0]), 29);
  EXPECT_EQ(decode(three[1]), 0);
}

TEST_F(Batches, CountTheBytesOfTheirCaches) {
  Job job = jobs_[3];
  job.context = 100;
  job.limits.max_new = 100;
  const std::int64_t each = engine_.cache_bytes(128);
  Batch batch(engine_, {.cache_bytes = 2 * each, .kept_bytes = 2 * each});
  EXPECT_EQ(Batch::tokens_of(request_of(job, vocab_)), 100);
  EXPECT_EQ(batch.cache_bytes(100), each);
  EXPECT_TRUE(batch.has_room(1'000'000));  // for want of others
  std::vector<Ear> ears(3);
  add(batch, job, ears[0]);
  EXPECT_TRUE(batch.has_room(100));
  add(batch, job, ears[1]);
  EXPECT_FALSE(batch.has_room(1));
  EXPECT_EQ(batch.bytes_in_use(), 2 * each);
  run(batch);
  // What is kept of them leaves for others.
  EXPECT_EQ(batch.kept_bytes(), 2 * each);
  EXPECT_TRUE(batch.has_room(100));
  job.prompt = random_tokens(20, vocab_, 5);
  add(batch, job, ears[2]);
  EXPECT_LE(batch.bytes_in_use(), 2 * each);
  run(batch);
  EXPECT_EQ(ears[2].tokens, alone(engine_, job).tokens);
  job.new_drafter = jobs_[0].new_drafter;
  EXPECT_GT(Batch::tokens_of(request_of(job, vocab_)), 128);  // rows that are rejected
}

TEST_F(Batches, HaveRoomForLargeDraftsWhereAsked) {
  /// Drafts as many nodes as it needs room for: chains from the root on.
  class Wide : public draft::Pld {
   public:
    using draft::Pld::Pld;
    int most_nodes() const override { return 900; }
    void fill(const draft::DraftContext&, draft::TokenTree& tree) override {
      for (Token first = 0; first < 100; ++first) {
        const std::vector<Token> chain(9, first);
        tree.add_chain(0, chain);
      }
    }
  };
  Job job = jobs_[3];
  job.context = 100;
  job.limits = {.max_new = 20};
  job.new_drafter = [] { return std::make_unique<Wide>(draft::PldOptions{}); };
  for (const bool is_asked : {false, true}) {
    Request request = request_of(job, vocab_);
    if (is_asked) request.draft_nodes = 900;
    Batch batch(engine_);
    Ear ear;
    batch.add(request, ear);
    run(batch);
    EXPECT_EQ(ear.tokens, alone(engine_, job).tokens);
    EXPECT_EQ(ear.result->stats.by_pass.front().drafted == 900, is_asked);
    EXPECT_EQ(ear.result->stats.cut_rounds > 0, !is_asked);
  }
}

TEST_F(Batches, CountTheBytesOfTheirDrafters) {
  /// Says that it takes a million bytes, and for each token one.
  class Heavy : public draft::Pld {
   public:
    using draft::Pld::Pld;
    std::int64_t text_bytes(int tokens) const override { return 1'000'000 + tokens; }
  };
  Job job = jobs_[3];
  job.context = 100;
  job.limits.max_new = 100;
  job.new_drafter = [] { return std::make_unique<Heavy>(draft::PldOptions{}); };
  const auto request = [&](const char* name) {
    Request made = request_of(job, vocab_);
    made.drafter_name = name;
    return made;
  };
  const int tokens = Batch::tokens_of(request(""));
  Batch batch(engine_, {.cache_bytes = 3'000'000, .kept_bytes = 3'000'000});
  const std::int64_t each = batch.cache_bytes(tokens) + 1'000'000 + tokens;
  ASSERT_GT(3 * each, 3'000'000);
  EXPECT_TRUE(batch.has_room(tokens, 9'000'000));  // for want of others
  std::vector<Ear> ears(4);
  batch.add(request("heavy"), ears[0]);
  EXPECT_EQ(batch.bytes_in_use(), each);
  EXPECT_TRUE(batch.has_room(tokens, 1'000'000 + tokens));
  batch.add(request("heavy"), ears[1]);
  EXPECT_EQ(batch.bytes_in_use(), 2 * each);
  EXPECT_TRUE(batch.has_room(tokens));  // without a drafter
  EXPECT_FALSE(batch.has_room(tokens, 1'000'000 + tokens));
  run(batch);
  // The finished ones keep theirs, which another takes over, or which leave for it.
  EXPECT_EQ(batch.bytes_in_use(), 2 * each);
  EXPECT_EQ(batch.kept_bytes(), 2 * each);
  EXPECT_TRUE(batch.has_room(tokens, 2'000'000));
  batch.add(request("heavy"), ears[2]);
  EXPECT_LE(batch.bytes_in_use(), 3'000'000);
  run(batch);
  job.prompt = random_tokens(20, vocab_, 5);
  batch.add(request("another"), ears[3]);
  EXPECT_LE(batch.bytes_in_use(), 3'000'000);
  run(batch);
  EXPECT_EQ(ears[3].tokens, alone(engine_, job).tokens);
}

/// A drafter that cannot go on.
class Breaks : public draft::Drafter {
 public:
  std::string name() const override { return "breaks"; }
  void fill(const draft::DraftContext& context, draft::TokenTree&) override {
    if (context.committed.size() > 70) throw std::runtime_error("broken");
  }
};

TEST_F(Batches, FailASequenceAlone) {
  class FailingEar : public Ear {
   public:
    void fail(const std::exception_ptr& error) override {
      if (throws_on) std::rethrow_exception(error);
      failed = true;
    }
    bool failed = false, throws_on = false;
  };
  for (const bool throws_on : {false, true}) {
    Batch batch(engine_);
    std::vector<FailingEar> ears(5);
    for (std::size_t i = 0; i < ears.size(); ++i) {
      Job job = jobs_[i];
      if (i == 2) {
        job.prompt = random_tokens(65, vocab_, 1);
        job.limits.end_tokens = {};
        job.new_drafter = [] { return std::make_unique<Breaks>(); };
        ears[i].throws_on = throws_on;
      }
      if (i == 4)
        ears[i].on_token = [&] {
          if (ears[4].tokens.size() == 3) throw std::runtime_error("full");
        };
      add(batch, job, ears[i]);
    }
    int thrown = 0;
    for (bool goes_on = true; goes_on;) try {
        goes_on = batch.step();
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "broken");
        ++thrown;
      }
    EXPECT_EQ(thrown, throws_on ? 1 : 0);
    EXPECT_EQ(ears[2].failed, !throws_on);
    EXPECT_TRUE(ears[4].failed);
    EXPECT_FALSE(ears[2].result);
    for (const std::size_t i : {0u, 1u, 3u}) expect_same(*ears[i].result, expected_[i]);
    EXPECT_EQ(batch.bytes_in_use(), batch.kept_bytes());
  }
}

TEST_F(Batches, RefuseWhatLeavesNoRoom) {
  Batch batch(engine_);
  Ear ear;
  Job job = jobs_[0];
  job.context = static_cast<int>(job.prompt.size());
  EXPECT_THROW(add(batch, job, ear), InputError);
  job.prompt.clear();
  EXPECT_THROW(add(batch, job, ear), InputError);
  EXPECT_EQ(batch.bytes_in_use(), 0);
  EXPECT_FALSE(batch.step());
}

TEST_F(Batches, DivideTheTimeOfPassesByTheirRows) {
  Batch batch(engine_);
  std::vector<Ear> ears(jobs_.size());
  for (std::size_t i = 0; i < jobs_.size(); ++i) add(batch, jobs_[i], ears[i]);
  run(batch);
  double passes = 0;
  for (const Ear& ear : ears) {
    const DecodeStats& stats = ear.result->stats;
    EXPECT_GT(stats.verify_seconds, 0);
    EXPECT_LE(stats.verify_seconds + stats.sample_seconds, stats.decode_seconds);
    passes += stats.verify_seconds;
  }
  EXPECT_LT(passes, batch.stats().forward_seconds);  // which has the prompts, too
  EXPECT_GT(passes, 0.2 * batch.stats().forward_seconds);
}

}  // namespace
}  // namespace outrider::decode
