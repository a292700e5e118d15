#include "runtime/draft/copy/pld_plus_heads.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "runtime/base/hash.h"

namespace outrider::draft {
namespace {

/// [count] Indices into [layers * heads] of the heads with most hits in one half, ascending.
std::vector<int> best_heads(const PldPlusHeads& found, std::size_t half, int count) {
  const auto all = static_cast<std::size_t>(found.layers * found.heads);
  std::vector<std::int64_t> sums(all, 0);
  const std::size_t first = half * found.tasks.size() * all;
  for (std::size_t i = 0; i < found.tasks.size() * all; ++i) sums[i % all] += found.hits[first + i];
  std::vector<int> order = ranked_by_hits(sums);
  order.resize(static_cast<std::size_t>(count));
  std::sort(order.begin(), order.end());
  return order;
}

/// Indices of values, largest first; the lowest index on a tie.
template <typename Number>
std::vector<int> largest_first(std::span<const Number> numbers) {
  std::vector<int> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return numbers[static_cast<std::size_t>(a)] > numbers[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace

std::vector<int> ranked_by_hits(std::span<const std::int64_t> hits) { return largest_first(hits); }

std::vector<int> ranked_by_hits(std::span<const double> shares) { return largest_first(shares); }

std::vector<double> hit_shares(const PldPlusHeads& found, std::optional<std::size_t> task) {
  const std::size_t heads = static_cast<std::size_t>(found.layers * found.heads);
  std::vector<double> shares(heads, 0.0);
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < found.tokens.size(); ++i) {  // [half, task]
    if (task && i % found.tasks.size() != *task) continue;
    tokens += found.tokens[i];
    for (std::size_t h = 0; h < heads; ++h)
      shares[h] += static_cast<double>(found.hits[i * heads + h]);
  }
  for (double& share : shares) share /= static_cast<double>(std::max<std::int64_t>(1, tokens));
  return shares;
}

std::string PldPlusHeads::choice() const {
  std::set<std::pair<int, int>> chosen_heads;
  for (std::size_t i = 0; i < static_cast<std::size_t>(chosen); ++i)
    chosen_heads.insert({ranking[2 * i], ranking[2 * i + 1]});
  Hasher hasher;
  for (const auto& [layer, head] : chosen_heads) {
    hasher.add_number(static_cast<std::uint64_t>(layer));
    hasher.add_number(static_cast<std::uint64_t>(head));
  }
  hasher.add_text(aggregation);
  return hasher.hex();
}

int heads_compared(const PldPlusHeads& found) {
  return std::max(1, std::min(50, found.layers * found.heads / 2));
}

int heads_in_common(const PldPlusHeads& found, int count) {
  const std::vector<int> one = best_heads(found, 0, count), other = best_heads(found, 1, count);
  std::vector<int> common;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(common));
  return static_cast<int>(common.size());
}

}  // namespace outrider::draft
