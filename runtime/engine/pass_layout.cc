#include "runtime/engine/pass_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace outrider::engine {
namespace {

const KvCache& cache_of(const Pass& pass, const Row& row) {
  return *pass.sequences[static_cast<std::size_t>(row.sequence)];
}

/// The number, in its cache, of a held parent.
int held_number(const Row& row) { return Row::held(row.parent); }

void check_row(const Pass& pass, int index, int vocab) {
  const Row& row = pass.rows[static_cast<std::size_t>(index)];
  const auto fail = [&](const std::string& what) {
    throw std::logic_error(fmt::format("row {} of a pass: {}", index, what));
  };
  if (row.state == nullptr && vocab == 0) fail("a token, and the model takes states only");
  if (row.state == nullptr && (row.token < 0 || row.token >= vocab))
    fail(fmt::format("token {} is outside the vocabulary of {}", row.token, vocab));
  if (row.sequence < 0 || row.sequence >= static_cast<int>(pass.sequences.size()))
    fail(fmt::format("sequence {} of {}", row.sequence, pass.sequences.size()));
  if (row.parent >= 0) {
    if (row.parent >= index) fail(fmt::format("parent {} does not come before it", row.parent));
    if (pass.rows[static_cast<std::size_t>(row.parent)].sequence != row.sequence)
      fail("its parent belongs to another sequence");
  } else if (row.parent != Row::kCommitted) {
    const int held = cache_of(pass, row).held();
    if (held_number(row) >= held)
      fail(fmt::format("it follows row {} of the {} that are held", held_number(row), held));
  }
}

}  // namespace

void PassLayout::assign(const Pass& pass, int vocab, int positions) {
  rows_.clear();
  extra_.clear();
  for (KvCache* sequence : pass.sequences) sequence->begin_pass();
  for (int i = 0; i < static_cast<int>(pass.rows.size()); ++i) {
    check_row(pass, i, vocab);
    const Row& row = pass.rows[static_cast<std::size_t>(i)];
    KvCache& cache = *pass.sequences[static_cast<std::size_t>(row.sequence)];
    RowLayout layout = after(pass, row);
    if (layout.position >= positions)
      throw std::logic_error(
          fmt::format("row {} of a pass has position {} of {}", i, layout.position, positions));
    const int parent = row.parent >= 0 ? rows_[static_cast<std::size_t>(row.parent)].number
                       : row.parent == Row::kCommitted ? KvCache::kCommitted
                                                       : held_number(row);
    layout.number = cache.add_row(parent);
    layout.slot = cache.length() + layout.number;
    if (layout.num_extra == 0 && layout.slot == layout.position) {
      ++layout.contiguous;
    } else {
      extra_.push_back(layout.slot);
      ++layout.num_extra;
    }
    rows_.push_back(layout);
  }
}

/// The path of a row without its own slot, which is the path of its parent.
RowLayout PassLayout::after(const Pass& pass, const Row& row) {
  if (row.parent == Row::kCommitted) {
    const int length = cache_of(pass, row).length();
    return {length, 0, 0, length, 0, extra_.size()};
  }
  if (row.parent < 0) return after_held(cache_of(pass, row), held_number(row));
  const RowLayout& parent = rows_[static_cast<std::size_t>(row.parent)];
  RowLayout layout = {parent.position + 1, 0, 0, parent.contiguous, parent.num_extra,
                      extra_.size()};
  for (int i = 0; i < parent.num_extra; ++i) {
    const int slot = extra(parent)[i];
    extra_.push_back(slot);
  }
  return layout;
}

RowLayout PassLayout::after_held(const KvCache& cache, int number) {
  const int length = cache.length();
  const std::size_t first = extra_.size();
  for (int row = number; row != KvCache::kCommitted; row = cache.parent(row))
    extra_.push_back(length + row);
  const auto begin = extra_.begin() + static_cast<std::ptrdiff_t>(first);
  std::reverse(begin, extra_.end());
  // The first rows of the path may be in order already, and then extend the contiguous slots.
  int right = length;
  auto elsewhere = begin;
  while (elsewhere != extra_.end() && *elsewhere == right) ++elsewhere, ++right;
  extra_.erase(begin, elsewhere);
  return {cache.position(number) + 1, 0, 0, right, static_cast<int>(extra_.size() - first), first};
}

}  // namespace outrider::engine
