#include "runtime/engine/kv_cache.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "runtime/base/error.h"

namespace outrider::engine {
namespace {

/// Notes what is moved and copied.
class NotingCache : public KvCache {
 public:
  explicit NotingCache(int capacity) : KvCache(capacity) {}
  std::vector<std::uint8_t> key_bytes(int, int) const override { return {}; }
  std::vector<std::uint8_t> value_bytes(int, int) const override { return {}; }

  /// A pass of rows with these parents.
  void pass(const std::vector<int>& parents) {
    begin_pass();
    for (const int parent : parents) add_row(parent);
  }
  void commit_path(const std::vector<int>& rows) { commit(rows); }

  std::vector<int> moved_slots;
  int moved_to = -1;
  int copied = -1;

 private:
  void move_slots(std::span<const int> slots, int to) override {
    moved_slots.assign(slots.begin(), slots.end());
    moved_to = to;
  }
  void copy_slots(const KvCache&, int tokens) override { copied = tokens; }
};

constexpr int kCommitted = KvCache::kCommitted;

/// Three tokens are committed.
class Rows : public testing::Test {
 protected:
  Rows() {
    cache_.pass({kCommitted, 0, 1});
    cache_.commit_first(3);
  }
  NotingCache cache_{20};
};

TEST_F(Rows, OfAPassAreForgottenByTheNext) {
  cache_.pass({kCommitted, 0, 0});
  EXPECT_EQ(cache_.held(), 0);
  cache_.pass({kCommitted});
  EXPECT_THROW(cache_.commit_path({0, 1}), std::logic_error);
  cache_.commit_path({0});
  EXPECT_EQ(cache_.length(), 4);
}

TEST_F(Rows, CanBeToldLaterWhatTheyFollow) {
  cache_.pass({kCommitted, kCommitted, 0, 0});
  cache_.set_parent(3, 1);
  EXPECT_THROW(cache_.set_parent(3, 2), std::logic_error) << "its sibling";
  EXPECT_THROW(cache_.set_parent(0, 1), std::logic_error);
  EXPECT_THROW(cache_.commit_path({0, 3}), std::logic_error);
  cache_.commit_path({1, 3});
  EXPECT_EQ(cache_.length(), 5);
  EXPECT_EQ(cache_.moved_slots, (std::vector{4, 6}));
}

TEST_F(Rows, ThatAreHeldKeepTheirNumbers) {
  cache_.pass({kCommitted, 0, 0});
  cache_.hold();
  cache_.pass({1, 2, 3});
  EXPECT_EQ(cache_.held(), 3);
  EXPECT_EQ(cache_.position(3), 5);
  EXPECT_EQ(cache_.position(5), 6);
  cache_.pass({2, 3});  // instead of them
  EXPECT_EQ(cache_.position(4), 6);
  cache_.hold();
  EXPECT_EQ(cache_.held(), 5);
  // A path over three passes, the last one not held. Its first row lies right.
  cache_.pass({4});
  cache_.commit_path({0, 2, 3, 4, 5});
  EXPECT_EQ(cache_.length(), 8);
  EXPECT_EQ(cache_.moved_slots, (std::vector{5, 6, 7, 8}));
  EXPECT_EQ(cache_.moved_to, 4);
  EXPECT_EQ(cache_.held(), 0);
}

TEST_F(Rows, AreCommittedAlongOnePathOnly) {
  const auto refused = [&](const std::vector<int>& rows) {
    cache_.pass({kCommitted, 0, 0, 1, kCommitted});
    EXPECT_THROW(cache_.commit_path(rows), std::logic_error);
    EXPECT_EQ(cache_.length(), 3);
  };
  refused({1});        // does not follow the committed tokens
  refused({0, 3});     // leaves its parent out
  refused({0, 1, 2});  // siblings
  refused({0, 4});
  refused({1, 0});
  refused({0, 0});
  refused({5});
  refused({-1});
  cache_.pass({kCommitted, 0, 0});
  EXPECT_THROW(cache_.commit_first(3), std::logic_error);
  cache_.commit_first(2);
  EXPECT_TRUE(cache_.moved_slots.empty());
  cache_.pass({kCommitted, kCommitted});
  cache_.commit_path({});
  EXPECT_EQ(cache_.length(), 5);
}

TEST_F(Rows, ThatTheCacheCannotHoldAreNotCommitted) {
  cache_.pass({kCommitted, 0, 0});
  cache_.mark_too_large(1);
  EXPECT_THROW(cache_.commit_path({0, 1}), InputError);
  try {
    cache_.commit_first(2);
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("at position 4"), std::string::npos) << message;
    EXPECT_NE(message.find("--kv f32"), std::string::npos) << message;
  }
  cache_.commit_path({0, 2});  // another branch
  cache_.pass({kCommitted});
  cache_.commit_first(1);
}

TEST_F(Rows, AreForgottenWhenTheyAreDroppedOrTheTextIsCut) {
  cache_.pass({kCommitted, 0});
  cache_.hold();
  cache_.drop();
  EXPECT_EQ(cache_.held(), 0);
  EXPECT_THROW(cache_.commit_path({0}), std::logic_error);
  EXPECT_EQ(cache_.length(), 3);
  cache_.pass({kCommitted});
  cache_.hold();
  cache_.truncate(2);
  EXPECT_EQ(cache_.held(), 0);
  EXPECT_EQ(cache_.length(), 2);
  EXPECT_THROW(cache_.truncate(3), std::logic_error);
  EXPECT_THROW(cache_.truncate(-1), std::logic_error);
}

TEST_F(Rows, FillTheCapacityThatTheyShareWithWhatIsHeld) {
  for (int i = 0; i < 17; ++i) {
    cache_.pass({i - 1});
    cache_.hold();
  }
  EXPECT_THROW(cache_.pass({kCommitted}), std::logic_error);
  cache_.drop();
  cache_.pass(std::vector<int>(17, kCommitted));
  EXPECT_THROW(cache_.add_row(kCommitted), std::logic_error);
}

TEST_F(Rows, AreKnownToBeCommittedUntilTheyAreCutOff) {
  cache_.pass({kCommitted, kCommitted, 1, 1, 3});
  EXPECT_FALSE(cache_.has_committed(1, 3));
  cache_.commit_path({1, 3, 4});
  EXPECT_TRUE(cache_.has_committed(1, 3));
  EXPECT_TRUE(cache_.has_committed(3, 4));
  EXPECT_TRUE(cache_.has_committed(4, 5));
  EXPECT_FALSE(cache_.has_committed(0, 3));  // its sibling was
  EXPECT_FALSE(cache_.has_committed(2, 4));
  EXPECT_FALSE(cache_.has_committed(4, 6));
  EXPECT_FALSE(cache_.has_committed(2, 2));
  cache_.truncate(5);
  EXPECT_TRUE(cache_.has_committed(3, 4));
  EXPECT_FALSE(cache_.has_committed(4, 5));
}

/// Of a draft whose accepted rows a device has moved.
class MovedRows : public Rows {
 protected:
  MovedRows() {
    cache_.pass({kCommitted, 0, 0, 2, 0, 4});
    cache_.note_moved(std::vector{0, 2, 3});
  }
  void expect_committed(const std::vector<int>& rows) {
    cache_.commit_path(rows);
    EXPECT_TRUE(cache_.moved_slots.empty());
    EXPECT_EQ(cache_.length(), 3 + static_cast<int>(rows.size()));
    EXPECT_TRUE(cache_.moved().empty());
  }
};

TEST_F(MovedRows, AreNotMovedAgain) {
  expect_committed({0, 2, 3});
  EXPECT_TRUE(cache_.has_committed(2, 4));
}

TEST_F(MovedRows, CanBeCommittedInPart) { expect_committed({0, 2}); }
TEST_F(MovedRows, CanBeDiscarded) { expect_committed({}); }

TEST_F(MovedRows, LeaveThoseBehindThemAsTheyWere) {
  cache_.commit_path({0, 4, 5});
  EXPECT_EQ(cache_.moved_slots, (std::vector{7, 8}));
  EXPECT_EQ(cache_.moved_to, 4);
}

TEST_F(MovedRows, AreOverOthersThatAreLost) {
  EXPECT_THROW(cache_.commit_path({0, 1}), std::logic_error);
  EXPECT_THROW(cache_.commit_first(2), std::logic_error);
  EXPECT_THROW(cache_.hold(), std::logic_error);
  EXPECT_EQ(cache_.length(), 3);
  cache_.commit_first(1);
  EXPECT_EQ(cache_.length(), 4);
}

TEST_F(MovedRows, AreForgottenByTheNextPass) {
  cache_.pass({kCommitted, 0, 0});
  cache_.hold();
  EXPECT_THROW(cache_.note_moved(std::vector{0}), std::logic_error) << "beside rows that are held";
  cache_.commit_path({0, 2});
  EXPECT_EQ(cache_.moved_slots, std::vector{5});
  EXPECT_EQ(cache_.moved_to, 4);
}

TEST_F(MovedRows, AreAPath) {
  EXPECT_THROW(cache_.note_moved(std::vector{0, 3}), std::logic_error);
  EXPECT_THROW(cache_.note_moved(std::vector{0, 6}), std::logic_error);
  cache_.note_moved(std::vector{0, 1});
  cache_.hold();  // nothing was moved
}

TEST_F(Rows, AreReplacedByAPrefixOfAnotherCache) {
  NotingCache other(5);
  other.pass({kCommitted});
  other.hold();
  other.copy_prefix(cache_, 2);
  EXPECT_EQ(other.copied, 2);
  EXPECT_EQ(other.length(), 2);
  EXPECT_EQ(other.held(), 0);
  EXPECT_THROW(other.copy_prefix(cache_, 4), std::logic_error);  // more than it has
  EXPECT_THROW(other.copy_prefix(cache_, -1), std::logic_error);
  NotingCache small(2);
  EXPECT_THROW(small.copy_prefix(cache_, 3), std::logic_error);
}

}  // namespace
}  // namespace outrider::engine
