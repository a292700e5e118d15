#include "runtime/engine/cpu/pass_layout.h"

#include <fmt/core.h>

#include <stdexcept>

namespace outrider::engine {
namespace {

void check_row(const Pass& pass, int index, int vocab) {
  const Row& row = pass.rows[static_cast<std::size_t>(index)];
  const auto fail = [&](const std::string& what) {
    throw std::logic_error(fmt::format("row {} of a pass: {}", index, what));
  };
  if (row.token < 0 || row.token >= vocab)
    fail(fmt::format("token {} is outside the vocabulary of {}", row.token, vocab));
  if (row.sequence < 0 || row.sequence >= static_cast<int>(pass.sequences.size()))
    fail(fmt::format("sequence {} of {}", row.sequence, pass.sequences.size()));
  if (row.parent != Row::kCommitted) {
    if (row.parent < 0 || row.parent >= index)
      fail(fmt::format("parent {} does not come before it", row.parent));
    if (pass.rows[static_cast<std::size_t>(row.parent)].sequence != row.sequence)
      fail("its parent belongs to another sequence");
  }
}

}  // namespace

void PassLayout::place(const Pass& pass, int vocab, int positions) {
  rows_.clear();
  extra_.clear();
  next_slot_.clear();
  for (const KvCache* sequence : pass.sequences) next_slot_.push_back(sequence->length());
  for (int i = 0; i < static_cast<int>(pass.rows.size()); ++i) {
    check_row(pass, i, vocab);
    const Row& row = pass.rows[static_cast<std::size_t>(i)];
    const int capacity = pass.sequences[static_cast<std::size_t>(row.sequence)]->capacity();
    RowPlace place = behind(pass, row);
    place.slot = next_slot_[static_cast<std::size_t>(row.sequence)]++;
    if (place.slot >= capacity)
      throw std::logic_error(
          fmt::format("row {} of a pass needs slot {} of a cache of {}", i, place.slot, capacity));
    if (place.position >= positions)
      throw std::logic_error(
          fmt::format("row {} of a pass has position {} of {}", i, place.position, positions));
    if (place.num_extra == 0 && place.slot == place.position) {
      ++place.contiguous;
    } else {
      extra_.push_back(place.slot);
      ++place.num_extra;
    }
    rows_.push_back(place);
  }
}

/// The place of a row without its own slot: its path is that of what it follows, so far.
RowPlace PassLayout::behind(const Pass& pass, const Row& row) {
  if (row.parent == Row::kCommitted) {
    const int length = pass.sequences[static_cast<std::size_t>(row.sequence)]->length();
    return {length, 0, length, 0, extra_.size()};
  }
  const RowPlace& parent = rows_[static_cast<std::size_t>(row.parent)];
  RowPlace place = {parent.position + 1, 0, parent.contiguous, parent.num_extra, extra_.size()};
  for (int i = 0; i < parent.num_extra; ++i) {
    const int slot = extra(parent)[i];
    extra_.push_back(slot);
  }
  return place;
}

}  // namespace outrider::engine
