#include "runtime/draft/gsd/graph_growth.h"

#include <algorithm>

namespace outrider::draft {

bool GraphGrowth::run(const DraftLimits& limits, Continuations& next, DraftGraph& graph) {
  bool has_room = true;
  const auto add = [&](int node, int i) {
    const std::span<const sampling::RankedToken> ranked = next.after(graph, node, i);
    const auto room = static_cast<std::size_t>(limits.nodes - graph.num_drafted());
    has_room = has_room && ranked.size() <= room;
    if (!has_room && next.are_all_or_none()) return false;
    add_children(node, ranked.first(std::min(ranked.size(), room)), graph);
    return true;
  };
  added_.clear();
  if (!add(0, 0)) return false;
  for (int depth = 1; depth < limits.depth; ++depth) {
    if (graph.num_drafted() >= limits.nodes) return has_room && added_.empty();
    open_level(graph);
    if (level_.empty()) return has_room;
    next.forward(graph, level_);
    added_.clear();
    for (std::size_t i = 0; i < level_.size(); ++i)
      if (!add(level_[i], static_cast<int>(i))) return false;
  }
  return has_room;
}

void GraphGrowth::add_children(int node, std::span<const sampling::RankedToken> ranked,
                               DraftGraph& graph) {
  if (ranked.empty()) return;
  double largest = ranked.front().score;
  for (const sampling::RankedToken& one : ranked) largest = std::max(largest, one.score);
  int rank = 0;
  for (const sampling::RankedToken& one : ranked) {
    const int child = graph.add(node, one.token, one.score, rank++);
    if (!pruner_.prunes(one.score, largest, graph.log_path(child))) added_.push_back(child);
  }
}

/// Opens or merges what was added, the most probable paths first.
void GraphGrowth::open_level(DraftGraph& graph) {
  std::sort(added_.begin(), added_.end(), [&graph](int a, int b) {
    const double of_a = graph.log_path(a), of_b = graph.log_path(b);
    return of_a != of_b ? of_a > of_b : a < b;
  });
  level_.clear();
  for (const int node : added_)
    if (graph.open(node)) level_.push_back(node);
}

}  // namespace outrider::draft
