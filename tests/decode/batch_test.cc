#include "runtime/decode/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "runtime/base/error.h"
#include "tests/decode/batch_jobs.h"

namespace outrider::decode {
namespace {

using test::random_tokens;
using test::TinyEngine;

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
  EXPECT_GT(passes, 0.05 * batch.stats().forward_seconds);
}

}  // namespace
}  // namespace outrider::decode
