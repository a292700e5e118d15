#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace outrider::engine {

/// Keys and values of one sequence: committed tokens, slot = position, followed by rows that are
/// not committed yet. A pass writes its rows after the held rows; the next pass discards them
/// unless `hold` keeps them to be continued.
///
/// A row that is not committed has a number, counted from 0 among the sequence's rows since the
/// last commit, drop or truncation: the rows of a pass are numbered from `held` on, in their order.
class KvCache {
 public:
  virtual ~KvCache() = default;
  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;

  /// Tokens, including rows that are not committed.
  int capacity() const { return capacity_; }
  /// Committed tokens.
  int length() const { return length_; }
  /// Held rows.
  int held() const { return held_; }

  /// Holds every row of the last pass in addition to those held before: the next pass writes after
  /// them, and its rows may continue them.
  /// @throws std::logic_error where rows were moved over others: see `note_moved`
  void hold();
  /// Discards every row that is not committed.
  void drop();
  /// Commits the rows of one path and discards the others. Rows already in their final slots are
  /// not copied.
  /// @throws InputError if a row's keys or values are beyond the numbers of the cache
  /// @throws std::logic_error for rows that are no path, or one that another was moved over: see `note_moved`
  /// @param rows  numbers of held rows or rows of the last pass: the first continues the committed
  ///              tokens, each other one the row before it
  void commit(std::span<const int> rows);
  /// Commits the first `rows` rows, a chain.
  void commit_first(int rows);
  /// Truncates to the first `length` tokens, and discards rows that are not committed.
  void truncate(int length);
  /// Replaces the contents by the first `tokens` tokens of another cache of the same kind of
  /// engine. Keys and values depend only on the tokens before them, so the bits are those that
  /// forwarding the tokens again would write.
  void copy_prefix(const KvCache& from, int tokens);

  /// The keys, and the values, of a layer in a slot, head by head, whatever the engine's memory
  /// layout. Layers count from 0 here.
  virtual std::vector<std::uint8_t> key_bytes(int layer, int slot) const = 0;
  virtual std::vector<std::uint8_t> value_bytes(int layer, int slot) const = 0;

  // For engines.

  /// Instead of a row's number: the row continues the committed tokens.
  static constexpr int kCommitted = -1;
  /// Discards the rows of the last pass that are not held.
  void begin_pass() {
    rows_.resize(static_cast<std::size_t>(held_));
    moved_.clear();
  }
  /// Adds a row of a pass. @return its number; its slot is the number plus `length`
  /// @throws std::logic_error when the cache is full
  int add_row(int parent);
  /// Notes that a row's keys or values are beyond the numbers of the cache, so that it cannot be committed.
  void mark_too_large(int row) { rows_.at(static_cast<std::size_t>(row)).too_large = true; }
  /// Says which row another one, not committed either, follows in place of its parent: one at the same position.
  /// @throws std::logic_error for one that is not
  void set_parent(int row, int parent);
  /// The parent, and the position, of a row that is not committed.
  int parent(int row) const { return rows_.at(static_cast<std::size_t>(row)).parent; }
  int position(int row) const { return rows_.at(static_cast<std::size_t>(row)).position; }
  /// Notes that the keys and values of this path, from the committed tokens on, are where `commit` would move them: of its
  /// first row in the first slot after those tokens, and so on. To commit it, or its first rows, then moves nothing. Rows
  /// that others were moved over are lost: neither they nor what is below them can be committed any more.
  /// @param path  numbers of rows of the last pass
  /// @throws std::logic_error for rows that are no path, and where rows are held
  void note_moved(std::span<const int> path);
  /// The path that was noted since the last pass, commit, drop or truncation; empty: none.
  std::span<const int> moved() const { return moved_; }
  /// Whether the last commit kept row number `row` at this position, and the row has not been
  /// truncated since.
  bool has_committed(int row, int position) const;

 protected:
  explicit KvCache(int capacity);

  /// Moves the keys and values in these ascending slots to the slots from `to` on; to <= slots[0].
  virtual void move_slots(std::span<const int> slots, int to) = 0;
  /// Copies the keys and values in the first `tokens` slots of another cache.
  /// @throws std::logic_error if it is of another kind
  virtual void copy_slots(const KvCache& from, int tokens) = 0;

 private:
  struct RowInfo {
    int parent;
    int position;
    bool too_large = false;  // has keys or values that were stored as infinite
  };
  void check_follows(std::span<const int> rows) const;
  void check_path(std::span<const int> rows) const;
  std::size_t shared_with_moved(std::span<const int> rows) const;
  bool is_lost(int row) const;
  void keep_last_path();

  int capacity_;
  int length_ = 0;
  int held_ = 0;
  // All have room for `capacity` from the start: decoding steps allocate nothing.
  std::vector<RowInfo> rows_;   // not committed
  std::vector<int> last_path_;  // the rows kept by the last commit
  int path_begin_ = 0;          // the position of the first of them
  std::vector<int> slots_;      // to be moved
  std::vector<int> moved_;      // the path that a device has moved
};

}  // namespace outrider::engine
