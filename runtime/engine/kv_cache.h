#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace outrider::engine {

/// Keys and values of one sequence: those of its committed tokens, slot = position, and in the slots
/// after them those of rows that no commit has kept yet. A pass writes its rows after the rows that are
/// held; the next pass forgets them, unless `hold` lets it continue them.
///
/// A row not committed goes by a number, counted from 0 on among the sequence's rows since the last
/// commit, drop or truncation: the rows of a pass have the numbers from `held` on, in their order.
class KvCache {
 public:
  virtual ~KvCache() = default;
  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;

  /// Tokens, rows that are not committed included.
  int capacity() const { return capacity_; }
  /// Committed tokens.
  int length() const { return length_; }
  /// Rows that are held.
  int held() const { return held_; }

  /// Holds every row of the last pass beside those held before: the next pass writes after them, and its
  /// rows may follow them.
  void hold() { held_ = static_cast<int>(rows_.size()); }
  /// Forgets every row that is not committed.
  void drop();
  /// Keeps the rows of one path and forgets the others. Nothing is copied for a row that lies right.
  /// @param rows  numbers of rows held or of the last pass: the first follows the committed tokens,
  ///              each other one the row before it
  void commit(std::span<const int> rows);
  /// Keeps the first `rows` rows, a chain.
  void commit_first(int rows);
  /// Goes back to the first `length` tokens, and forgets rows that are not committed.
  void truncate(int length);
  /// Replaces all that the cache holds by the first `tokens` tokens of another cache of the same
  /// engine's kind. Keys and values follow from the tokens before them only, so these are the ones
  /// that forwarding the tokens again would write.
  void copy_prefix(const KvCache& from, int tokens);

  /// The keys, and the values, of a layer in a slot, head by head: what must not depend on how they
  /// got there. Layers count from 0 here.
  virtual std::vector<std::uint8_t> key_bytes(int layer, int slot) const = 0;
  virtual std::vector<std::uint8_t> value_bytes(int layer, int slot) const = 0;

  // For engines.

  /// In place of a row's number: the row follows the committed tokens.
  static constexpr int kCommitted = -1;
  /// Forgets the rows of the last pass that are not held.
  void begin_pass() { rows_.resize(static_cast<std::size_t>(held_)); }
  /// Adds a row of a pass. @return its number; its slot is `length` higher
  /// @throws std::logic_error when the cache is full
  int add_row(int parent);
  /// Of a row that is not committed.
  int parent(int row) const { return rows_.at(static_cast<std::size_t>(row)).parent; }
  int position(int row) const { return rows_.at(static_cast<std::size_t>(row)).position; }
  /// Whether the last commit kept row number `row`, which has this position, and it is still there.
  bool has_committed(int row, int position) const;

 protected:
  explicit KvCache(int capacity);

  /// Moves the keys and values in these slots, which ascend, to the slots from `to` on; to <= slots[0].
  virtual void move_slots(std::span<const int> slots, int to) = 0;
  /// Copies those in the first `tokens` slots of another cache. @throws std::logic_error if it is of
  /// another kind
  virtual void copy_slots(const KvCache& from, int tokens) = 0;

 private:
  struct RowInfo {
    int parent;
    int position;
  };
  void check_path(std::span<const int> rows) const;
  void keep_last_path();

  int capacity_;
  int length_ = 0;
  int held_ = 0;
  // Each has room for `capacity` from the first: steps of decoding allocate nothing.
  std::vector<RowInfo> rows_;   // not committed
  std::vector<int> last_path_;  // the rows that the last commit kept
  int path_begin_ = 0;          // the position of the first of them
  std::vector<int> slots_;      // to be moved
};

}  // namespace outrider::engine
