#include "runtime/draft/gsd/unmerging.h"

#include <algorithm>

namespace outrider::draft {
namespace {

/// What a node takes besides comparisons, each of which looks at two.
constexpr std::int64_t kStepsOfNode = 8;

}  // namespace

bool Unmerging::run(const DraftGraph& graph, const DraftLimits& limits, CopyRanking* ranking,
                    TokenTree& tree) {
  made_.assign(1, {0, false, 0});
  waiting_.clear();
  discovered_ = 0;
  const int nodes = std::min(limits.nodes, tree.limits().nodes);
  const int depth = std::min(limits.depth, tree.limits().depth);
  if (depth > 0) discover(graph, ranking, tree, 0, 0);
  while (!waiting_.empty() && tree.num_drafted() < nodes) {
    const Waiting best = take_best();
    const int added = tree.add(best.parent, best.child.token,
                               {.source = Source::kModel,
                                .rank = std::max(best.made.rank, 0),
                                .log_q = static_cast<float>(best.child.log_q)});
    made_.push_back(best.made);
    steps_ += kStepsOfNode;
    if (tree.depth(added) < depth) discover(graph, ranking, tree, added, best.log_path);
  }
  return waiting_.empty();
}

/// Finds what follows a node of the tree.
void Unmerging::discover(const DraftGraph& graph, CopyRanking* ranking, const TokenTree& tree,
                         int tree_node, double log_path) {
  const Made from = at(tree_node);
  if (from.node == DraftGraph::kNone) return;
  const int like = graph.followed_like(from.node);
  if (like == DraftGraph::kNone) return;
  const bool is_copy = from.is_copy || like != from.node;
  if (is_copy && ranking != nullptr && ranking->rank(like, tree, tree_node, ranked_)) {
    int rank = 0;
    for (const RankedChild& child : ranked_)
      add({log_path + child.log_q,
           discovered_++,
           tree_node,
           child,
           {graph.child(like, child.token), true, rank++}});
    return;
  }
  for (int child = graph.first_child(like); child != DraftGraph::kNone;
       child = graph.next_sibling(child))
    add({log_path + graph.log_q(child),
         discovered_++,
         tree_node,
         {graph.token(child), graph.log_q(child)},
         {child, is_copy, graph.rank(child)}});
}

void Unmerging::add(const Waiting& waiting) {
  waiting_.push_back(waiting);
  std::push_heap(waiting_.begin(), waiting_.end(), IsWorse{&steps_});
}

Unmerging::Waiting Unmerging::take_best() {
  std::pop_heap(waiting_.begin(), waiting_.end(), IsWorse{&steps_});
  const Waiting best = waiting_.back();
  waiting_.pop_back();
  return best;
}

}  // namespace outrider::draft
