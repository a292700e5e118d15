#include "runtime/draft/row_stats.h"

namespace outrider::draft {
namespace {

void count(std::vector<std::int64_t>& by_rank, int rank, std::int64_t more) {
  const auto index = static_cast<std::size_t>(rank);
  if (by_rank.size() <= index) by_rank.resize(index + 1);
  by_rank[index] += more;
}

void add_to(std::vector<std::int64_t>& by_rank, const std::vector<std::int64_t>& more) {
  for (std::size_t rank = 0; rank < more.size(); ++rank)
    count(by_rank, static_cast<int>(rank), more[rank]);
}

}  // namespace

void RowStats::add(const TokenTree& tree, std::span<const int> path) {
  const auto accepted = [&](int node) {
    const auto depth = static_cast<std::size_t>(tree.depth(node));
    return depth < path.size() && path[depth] == node;
  };
  nodes += tree.num_drafted();
  const Origin* credited = nullptr;
  int most = 0;
  for (const auto& [origin, last] : tree.drafts()) {
    RowCounts& counts = by_source[origin.source];
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
  RowCounts& counts = by_source[credited->source];
  count(counts.accepted, credited->rank, 1);
  count(counts.accepted_tokens, credited->rank, most);
  ++counts.passes_by_accepted[most];
}

void RowStats::add(const RowStats& other) {
  tokens += other.tokens;
  nodes += other.nodes;
  for (const auto& [source, more] : other.by_source) {
    RowCounts& counts = by_source[source];
    add_to(counts.allotted, more.allotted);
    add_to(counts.drafted_tokens, more.drafted_tokens);
    add_to(counts.accepted, more.accepted);
    add_to(counts.accepted_tokens, more.accepted_tokens);
    for (const auto& [length, passes] : more.passes_by_accepted)
      counts.passes_by_accepted[length] += passes;
  }
}

}  // namespace outrider::draft
