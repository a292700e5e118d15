#include "train/parallelspec/choose_groups.h"

#include <algorithm>
#include <numeric>

#include "runtime/base/hash.h"

namespace outrider::train {

GroupStarts some_starts(const GroupStarts& possible, int most, std::uint64_t random) {
  const auto count = static_cast<std::uint64_t>(possible.size());
  const auto chosen = static_cast<std::uint64_t>(most);
  if (most == 0 || count <= chosen) return possible;
  GroupStarts starts;
  // One start of every chosen-th part, at the same offset in each.
  const std::uint64_t offset = random % count;
  for (std::uint64_t i = 0; i < chosen; ++i)
    starts.push_back(possible[static_cast<std::size_t>((i * count + offset) / chosen)]);
  return starts;
}

GroupStarts a_stretch(const GroupStarts& possible, int output_tokens, int most,
                      std::uint64_t random) {
  if (possible.empty()) return {};
  const std::int32_t last = std::max(possible.front(), output_tokens - most);
  const auto end = std::upper_bound(possible.begin(), possible.end(), last);
  const auto starts = static_cast<std::uint64_t>(end - possible.begin());
  const std::int32_t first = possible[static_cast<std::size_t>(random % starts)];
  GroupStarts stretch(static_cast<std::size_t>(std::min(most, output_tokens - first)));
  std::iota(stretch.begin(), stretch.end(), first);
  return stretch;
}

std::uint64_t random_of(const data::Trace& trace, std::uint64_t salt) {
  Hasher hasher;
  hasher.add_text(trace.id);
  hasher.add_number(static_cast<std::uint64_t>(trace.turn));
  hasher.add_number(static_cast<std::uint64_t>(trace.sample));
  hasher.add_number(trace.sequence_seed);
  hasher.add_number(salt);
  return hasher.low();
}

}  // namespace outrider::train
