// What batches keep of texts that have ended, and the room that texts and their drafters take.

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

#include "runtime/base/error.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "tests/decode/batch_jobs.h"

namespace outrider::decode {
namespace {

using test::random_tokens;

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
    draft::DrafterTraits traits() const override { return {.most_nodes = 900}; }
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

/// Says that it takes a million bytes, and for each token one.
class Heavy : public draft::Pld {
 public:
  using draft::Pld::Pld;
  std::int64_t text_bytes(int tokens) const override { return 1'000'000 + tokens; }
};

TEST_F(Batches, StayWithinTheirLimitWhateverTheyReuse) {
  /// Says that it takes as much as some tokens' keys and values, however long its text is.
  class Weighty : public draft::Pld {
   public:
    explicit Weighty(std::int64_t bytes) : Pld(draft::PldOptions{}), bytes_(bytes) {}
    std::int64_t text_bytes(int /*tokens*/) const override { return bytes_; }

   private:
    std::int64_t bytes_;
  };
  std::mt19937_64 random(9);
  const std::int64_t limit = engine_.cache_bytes(10 * 128);
  Batch batch(engine_, {.cache_bytes = limit, .kept_bytes = limit});
  std::list<Ear> ears;
  std::int64_t most = 0;
  for (int i = 0; i < 400; ++i) {
    // Lengths that take over larger caches of others, prompts that begin alike or are the same.
    Job job = jobs_[3];
    job.context = 512;
    job.limits.max_new = 1 + static_cast<int>(random() % 6);
    job.prompt = random_tokens(8 + static_cast<int>(random() % 8), vocab_, random() % 3);
    const std::int64_t bytes = engine_.cache_bytes(128 * static_cast<int>(random() % 5));
    job.new_drafter = [bytes] { return std::make_unique<Weighty>(bytes); };
    Request request = request_of(job, vocab_);
    request.reserve = static_cast<int>(random() % 512);
    request.draft_nodes = 8;
    const int tokens = Batch::tokens_of(request);
    if (batch.has_room(tokens, bytes)) batch.add(std::move(request), ears.emplace_back());
    EXPECT_LE(batch.bytes_in_use(), limit) << i;
    batch.step();
    most = std::max(most, batch.bytes_in_use());
  }
  EXPECT_EQ(most, limit);
  while (batch.step()) {
  }
}

TEST_F(Batches, HaveAPoolThatKeepsWhatWaitsWithinALimit) {
  CachePool pool(engine_);
  EXPECT_EQ(CachePool::padded(130), 256);
  auto first = pool.take(200), second = pool.take(300);
  EXPECT_EQ(pool.tokens_out(), 256 + 384);
  const engine::KvCache* const small_one = first.get();
  pool.give_back(std::move(first));
  pool.give_back(std::move(second));
  pool.keep_waiting(256);
  auto reused = pool.take(250);
  EXPECT_EQ(reused.get(), small_one);
  pool.give_back(std::move(reused));
  EXPECT_EQ(pool.take(100, 128)->capacity(), 128);  // the one that waits is larger
}

TEST_F(Batches, CountTheBytesOfTheirDrafters) {
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

TEST_F(Batches, KeepLessForBytesBeside) {
  Job job = jobs_[3];
  job.context = 100;
  job.limits.max_new = 100;
  const std::int64_t each = engine_.cache_bytes(128);
  Batch batch(engine_, {.cache_bytes = 3 * each, .kept_bytes = 3 * each});
  std::vector<Ear> ears(2);
  for (Ear& ear : ears) add(batch, job, ear);
  run(batch);
  ASSERT_EQ(batch.kept_bytes(), 2 * each);
  batch.set_bytes_beside(each);
  EXPECT_EQ(batch.kept(), 2);
  EXPECT_EQ(batch.bytes_in_use(), 3 * each);
  batch.set_bytes_beside(2 * each);
  EXPECT_EQ(batch.kept(), 1);
  Ear ear;
  add(batch, job, ear);
  EXPECT_FALSE(batch.has_room(100));
  batch.set_bytes_beside(0);
  EXPECT_TRUE(batch.has_room(100));
  run(batch);
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

}  // namespace
}  // namespace outrider::decode
