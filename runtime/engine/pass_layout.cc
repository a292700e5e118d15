#include "runtime/engine/pass_layout.h"

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

std::vector<RowPlace> place_rows(const Pass& pass, int vocab, int positions) {
  std::vector<int> next_slot;
  for (const KvCache* sequence : pass.sequences) next_slot.push_back(sequence->length());

  std::vector<RowPlace> places;
  places.reserve(pass.rows.size());
  for (int i = 0; i < static_cast<int>(pass.rows.size()); ++i) {
    check_row(pass, i, vocab);
    const Row& row = pass.rows[static_cast<std::size_t>(i)];
    const KvCache& cache = *pass.sequences[static_cast<std::size_t>(row.sequence)];
    RowPlace place;
    if (row.parent == Row::kCommitted) {
      place = {cache.length(), 0, cache.length(), {}};
    } else {
      place = places[static_cast<std::size_t>(row.parent)];
      ++place.position;
    }
    place.slot = next_slot[static_cast<std::size_t>(row.sequence)]++;
    if (place.slot >= cache.capacity())
      throw std::logic_error(fmt::format("row {} of a pass needs slot {} of a cache of {}", i,
                                         place.slot, cache.capacity()));
    if (place.position >= positions)
      throw std::logic_error(
          fmt::format("row {} of a pass has position {} of {}", i, place.position, positions));
    if (place.extra.empty() && place.slot == place.position) {
      ++place.contiguous;
    } else {
      place.extra.push_back(place.slot);
    }
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace outrider::engine
