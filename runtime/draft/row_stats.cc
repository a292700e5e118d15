#include "runtime/draft/row_stats.h"

namespace outrider::draft {
namespace {

using Numbers = std::vector<std::int64_t>;

/// What a source counts by rank.
constexpr std::array<Numbers RowCounts::*, 4> kByRank = {
    &RowCounts::allotted, &RowCounts::drafted_tokens, &RowCounts::accepted,
    &RowCounts::accepted_tokens};

void count(Numbers& numbers, int of, std::int64_t more) {
  const auto index = static_cast<std::size_t>(of);
  if (numbers.size() <= index) numbers.resize(index + 1);
  numbers[index] += more;
}

void add_to(Numbers& numbers, const Numbers& more) {
  for (std::size_t i = 0; i < more.size(); ++i) count(numbers, static_cast<int>(i), more[i]);
}

}  // namespace

void RowStats::reserve(int drafts, int accepted) {
  for (RowCounts& counts : by_source) {
    for (const auto numbers : kByRank) (counts.*numbers).reserve(static_cast<std::size_t>(drafts));
    counts.passes_by_accepted.reserve(static_cast<std::size_t>(accepted) + 1);
  }
}

void RowStats::clear() {
  for (RowCounts& counts : by_source) {
    for (const auto numbers : kByRank) (counts.*numbers).clear();
    counts.passes_by_accepted.clear();
  }
  tokens = nodes = 0;
}

void RowStats::add(const TokenTree& tree, std::span<const int> path) {
  const auto accepted = [&](int node) {
    const auto depth = static_cast<std::size_t>(tree.depth(node));
    return depth < path.size() && path[depth] == node;
  };
  nodes += tree.num_drafted();
  const Origin* credited = nullptr;
  int most = 0;
  for (const auto& [origin, last] : tree.drafts()) {
    RowCounts& counts = of(origin.source);
    count(counts.allotted, origin.rank, 1);
    count(counts.drafted_tokens, origin.rank, tree.depth(last));
    tokens += tree.depth(last);
    int node = last;
    while (!accepted(node)) node = tree.parent(node);
    if (tree.depth(node) <= most) continue;
    most = tree.depth(node);
    credited = &origin;
  }
  if (credited == nullptr) return;
  RowCounts& counts = of(credited->source);
  count(counts.accepted, credited->rank, 1);
  count(counts.accepted_tokens, credited->rank, most);
  count(counts.passes_by_accepted, most, 1);
}

void RowStats::add(const RowStats& other) {
  tokens += other.tokens;
  nodes += other.nodes;
  for (std::size_t i = 0; i < by_source.size(); ++i) {
    const RowCounts& more = other.by_source[i];
    for (const auto numbers : kByRank) add_to(by_source[i].*numbers, more.*numbers);
    add_to(by_source[i].passes_by_accepted, more.passes_by_accepted);
  }
}

}  // namespace outrider::draft
