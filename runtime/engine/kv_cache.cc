#include "runtime/engine/kv_cache.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "runtime/base/error.h"

namespace outrider::engine {

KvCache::KvCache(int capacity) : capacity_(capacity) {
  rows_.reserve(static_cast<std::size_t>(capacity));
  last_path_.reserve(static_cast<std::size_t>(capacity));
  slots_.reserve(static_cast<std::size_t>(capacity));
  moved_.reserve(static_cast<std::size_t>(capacity));
}

void KvCache::hold() {
  // A path ascends, so that where any of its rows was moved the last one was.
  if (!moved_.empty() && is_lost(static_cast<int>(moved_.size()) - 1))
    throw std::logic_error("KvCache::hold: rows were moved over others, which are lost");
  held_ = static_cast<int>(rows_.size());
}

void KvCache::drop() {
  rows_.clear();
  moved_.clear();
  held_ = 0;
}

int KvCache::add_row(int parent) {
  const int number = static_cast<int>(rows_.size());
  if (length_ + number >= capacity_)
    throw std::logic_error(
        fmt::format("KvCache: a row needs slot {} of a cache of {}", length_ + number, capacity_));
  if (parent < kCommitted || parent >= number)
    throw std::logic_error(fmt::format("KvCache: row {} follows row {}", number, parent));
  const int position = parent == kCommitted ? length_ : this->position(parent) + 1;
  rows_.push_back({.parent = parent, .position = position});
  return number;
}

void KvCache::set_parent(int row, int parent) {
  if (parent >= row || this->position(parent) + 1 != position(row))
    throw std::logic_error(fmt::format("KvCache: row {} cannot follow row {}", row, parent));
  rows_.at(static_cast<std::size_t>(row)).parent = parent;
}

void KvCache::note_moved(std::span<const int> path) {
  if (held_ > 0) throw std::logic_error("KvCache::note_moved: rows are held");
  check_follows(path);
  moved_.assign(path.begin(), path.end());
}

std::size_t KvCache::shared_with_moved(std::span<const int> rows) const {
  const auto end = std::mismatch(rows.begin(), rows.end(), moved_.begin(), moved_.end()).first;
  return static_cast<std::size_t>(end - rows.begin());
}

/// Whether another row was moved over it.
bool KvCache::is_lost(int row) const {
  const auto slot = static_cast<std::size_t>(row);
  return slot < moved_.size() && moved_[slot] != row;
}

/// That each row follows the one before, and the first the committed tokens.
void KvCache::check_follows(std::span<const int> rows) const {
  int before = kCommitted;
  for (const int row : rows) {
    if (row < 0 || row >= static_cast<int>(rows_.size()))
      throw std::logic_error(fmt::format("KvCache: a path has row {} of {}", row, rows_.size()));
    if (parent(row) != before)
      throw std::logic_error(
          fmt::format("KvCache: row {} follows {}, not {}", row, parent(row), before));
    before = row;
  }
}

/// That these can be committed.
void KvCache::check_path(std::span<const int> rows) const {
  check_follows(rows);
  for (const int row : rows)
    if (rows_[static_cast<std::size_t>(row)].too_large)
      throw InputError(
          fmt::format("the key or value of the token at position {} is beyond 65,504, the largest "
                      "number of the cache's 16 bits; keep keys and values in 32 bits: --kv f32",
                      position(row)));
  for (const int row : rows.subspan(shared_with_moved(rows)))
    if (is_lost(row))
      throw std::logic_error(
          fmt::format("KvCache: row {} is lost, since row {} of another path was moved over it",
                      row, moved_[static_cast<std::size_t>(row)]));
}

void KvCache::commit(std::span<const int> rows) {
  check_path(rows);
  last_path_.assign(rows.begin(), rows.end());
  // The first rows are in their final slots already, or were moved there.
  std::size_t right = shared_with_moved(rows);
  while (right < rows.size() && rows[right] == static_cast<int>(right)) ++right;
  slots_.clear();
  for (const int row : rows.subspan(right)) slots_.push_back(length_ + row);
  if (!slots_.empty()) move_slots(slots_, length_ + static_cast<int>(right));
  keep_last_path();
}

void KvCache::commit_first(int rows) {
  last_path_.resize(static_cast<std::size_t>(rows));
  std::iota(last_path_.begin(), last_path_.end(), 0);
  check_path(last_path_);
  keep_last_path();
}

void KvCache::keep_last_path() {
  path_begin_ = length_;
  length_ += static_cast<int>(last_path_.size());
  drop();
}

bool KvCache::has_committed(int row, int position) const {
  if (position < path_begin_ || position >= length_) return false;
  const std::size_t index = static_cast<std::size_t>(position - path_begin_);
  return index < last_path_.size() && last_path_[index] == row;
}

void KvCache::truncate(int length) {
  if (length < 0 || length > length_)
    throw std::logic_error(fmt::format("KvCache::truncate: {} of {} tokens", length, length_));
  length_ = length;
  drop();
}

void KvCache::copy_prefix(const KvCache& from, int tokens) {
  if (tokens < 0 || tokens > from.length() || tokens > capacity_)
    throw std::logic_error(fmt::format("KvCache::copy_prefix: {} of {} tokens into a cache of {}",
                                       tokens, from.length(), capacity_));
  copy_slots(from, tokens);
  length_ = tokens;
  last_path_.clear();
  drop();
}

}  // namespace outrider::engine
