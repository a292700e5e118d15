#include "runtime/draft/parallel/level_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "runtime/base/math.h"

namespace outrider::draft {

bool LevelShape::operator<(const LevelShape& other) const {
  return std::tie(best_nodes, widths, length, threshold) <
         std::tie(other.best_nodes, other.widths, other.length, other.threshold);
}

int LevelShape::width(int depth) const {
  const auto at = static_cast<std::size_t>(depth);
  return at < widths.size() ? widths[at] : 1;
}

bool LevelShape::is_chain() const {
  return best_nodes == 0 &&
         std::all_of(widths.begin(), widths.end(), [](int one) { return one == 1; });
}

int LevelShape::nodes() const {
  if (best_nodes > 0) return best_nodes;
  int all = 0, level = 1;
  for (int depth = 0; depth < length; ++depth) all += level *= width(depth);
  return all;
}

std::string LevelShape::tree() const {
  if (best_nodes > 0) return fmt::format("best:{}", best_nodes);
  return is_chain() ? "chain" : fmt::format("{}", fmt::join(widths, ","));
}

bool LevelGrowth::run(const LevelShape& shape, int depths, Levels& levels, TokenTree& tree) {
  return shape.best_nodes > 0 ? run_by_nodes(shape, depths, levels, tree)
                              : run_by_depths(shape, depths, levels, tree);
}

bool LevelGrowth::run_by_depths(const LevelShape& shape, int depths, Levels& levels,
                                TokenTree& tree) {
  const double least = shape.threshold > 0 ? math::log(shape.threshold) : 0;
  double log_reached = 0;
  level_.assign(1, 0);
  for (int depth = 0; depth < depths; ++depth) {
    log_reached += levels.reach(depth);
    if (shape.threshold > 0 && log_reached < least) return false;
    if (!add_level(shape.width(depth), levels, tree)) return true;
  }
  return true;
}

/// Adds tokens below every node of the depth before. @return whether the tree had room for all
bool LevelGrowth::add_level(int width, Levels& levels, TokenTree& tree) {
  next_level_.clear();
  for (const int parent : level_) {
    const std::span<const sampling::RankedToken> tokens = levels.draw(tree.token(parent), width);
    for (std::size_t rank = 0; rank < tokens.size(); ++rank) {
      const Token token = tokens[rank].token;
      const int node = tree.add(parent, token,
                                {.source = Source::kModel,
                                 .rank = static_cast<int>(rank),
                                 .log_q = levels.log_q(tree.depth(parent), token)});
      if (node == TokenTree::kNone) return false;
      next_level_.push_back(node);
    }
  }
  std::swap(level_, next_level_);
  return true;
}

bool LevelGrowth::Candidate::operator<(const Candidate& other) const {
  return log_path < other.log_path || (log_path == other.log_path && number > other.number);
}

bool LevelGrowth::run_by_nodes(const LevelShape& shape, int depths, Levels& levels,
                               TokenTree& tree) {
  reached_ = discovered_ = 0;
  candidates_.clear();
  children_.clear();
  // Room for every tree of the shape, so that later ones allocate nothing.
  const auto most = static_cast<std::size_t>(shape.best_nodes);
  candidates_.reserve(2 * most + 1);
  children_.reserve(most * (most + 1) / 2);
  if (depths > 0) add_children(0, 0, shape.best_nodes, levels, tree);
  while (!candidates_.empty() && tree.num_drafted() < shape.best_nodes) {
    std::pop_heap(candidates_.begin(), candidates_.end());
    const Candidate best = candidates_.back();
    candidates_.pop_back();
    if (shape.threshold > 0 && best.log_path < math::log(shape.threshold)) return false;
    const Token token = children_[best.at].token;
    const int depth = tree.depth(best.parent);
    const int node = tree.add(
        best.parent, token,
        {.source = Source::kModel, .rank = best.rank, .log_q = levels.log_q(depth, token)});
    if (node == TokenTree::kNone) return true;
    add_candidate(best.log_parent, best.parent, best.rank + 1, best.at + 1, best.end);
    const int left = shape.best_nodes - tree.num_drafted();
    if (depth + 1 < depths && left > 0) add_children(node, best.log_path, left, levels, tree);
  }
  return true;
}

/// The first of the children from `at` on, if there is one.
void LevelGrowth::add_candidate(double log_parent, int parent, int rank, std::size_t at,
                                std::size_t end) {
  if (at == end) return;
  candidates_.push_back({log_parent + children_[at].log_probability, log_parent, discovered_++,
                         parent, rank, at, end});
  std::push_heap(candidates_.begin(), candidates_.end());
}

void LevelGrowth::add_children(int node, double log_path, int width, Levels& levels,
                               const TokenTree& tree) {
  const int depth = tree.depth(node);
  for (; reached_ <= depth; ++reached_) levels.reach(reached_);
  levels.rank_likely(depth, tree.token(node), width, likely_);
  const std::size_t first = children_.size();
  children_.insert(children_.end(), likely_.begin(), likely_.end());
  add_candidate(log_path, node, 0, first, children_.size());
}

}  // namespace outrider::draft
