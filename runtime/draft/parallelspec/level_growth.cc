#include "runtime/draft/parallelspec/level_growth.h"

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

int LevelShape::most_of_depth(int depth) const {
  if (best_nodes > 0) return best_nodes;
  int level = 1;
  for (int one = 0; one <= depth; ++one) level *= width(one);
  return level;
}

std::string LevelShape::tree() const {
  if (best_nodes > 0) return fmt::format("best:{}", best_nodes);
  return is_chain() ? "chain" : fmt::format("{}", fmt::join(widths, ","));
}

bool LevelGrowth::run(const LevelShape& shape, int depths, Levels& levels, TokenTree& tree) {
  if (shape.best_nodes == 0) return run_by_depths(shape, depths, levels, tree);
  return levels.depends_on_nodes() ? run_by_opened(shape, depths, levels, tree)
                                   : run_by_nodes(shape, depths, levels, tree);
}

bool LevelGrowth::run_by_depths(const LevelShape& shape, int depths, Levels& levels,
                                TokenTree& tree) {
  const double least = shape.threshold > 0 ? math::log(shape.threshold) : 0;
  double log_reached = 0;
  level_.assign(1, 0);
  for (int depth = 0; depth < depths; ++depth) {
    log_reached += levels.reach(depth, tree, level_);
    if (shape.threshold > 0 && log_reached < least) return false;
    if (!add_level(shape.width(depth), levels, tree)) return true;
  }
  return true;
}

/// Adds tokens below every node of the depth before. Of tokens drawn at random a node has all or none, and which nodes
/// have none does not depend on what they would have drawn. @return whether the tree had room for all
bool LevelGrowth::add_level(int width, Levels& levels, TokenTree& tree) {
  next_level_.clear();
  for (const int parent : level_) {
    const int room = tree.limits().nodes - tree.num_drafted();
    if (levels.draws_at_random() && room < width) {
      tree.note_cut();
      return false;
    }
    const std::span<const sampling::RankedToken> tokens = levels.draw(tree, parent, width);
    for (std::size_t rank = 0; rank < tokens.size(); ++rank) {
      const Token token = tokens[rank].token;
      const int node = tree.add(parent, token,
                                {.source = Source::kModel,
                                 .rank = static_cast<int>(rank),
                                 .log_q = levels.log_q(tree, parent, token)});
      if (node == TokenTree::kNone) return false;
      next_level_.push_back(node);
    }
  }
  std::swap(level_, next_level_);
  return true;
}

bool LevelGrowth::run_by_nodes(const LevelShape& shape, int depths, Levels& levels,
                               TokenTree& tree) {
  reached_ = 0;
  candidates_.clear();
  children_.clear();
  // Room for every tree of the shape, so that later ones allocate nothing.
  const auto most = static_cast<std::size_t>(shape.best_nodes);
  candidates_.reserve(2 * most + 1);
  children_.reserve(most * (most + 1) / 2);
  if (depths > 0) add_children(0, 0, shape.best_nodes, levels, tree);
  while (!candidates_.empty() && tree.num_drafted() < shape.best_nodes) {
    const auto taken = candidates_.take();
    const Candidate& best = taken.node;
    if (shape.threshold > 0 && taken.value < math::log(shape.threshold)) return false;
    const Token token = children_[best.at].token;
    const int depth = tree.depth(best.parent);
    const int node = tree.add(best.parent, token,
                              {.source = Source::kModel,
                               .rank = best.rank,
                               .log_q = levels.log_q(tree, best.parent, token)});
    if (node == TokenTree::kNone) return true;
    add_candidate(best.log_parent, best.parent, best.rank + 1, best.at + 1, best.end);
    const int left = shape.best_nodes - tree.num_drafted();
    if (depth + 1 < depths && left > 0) add_children(node, taken.value, left, levels, tree);
  }
  return true;
}

/// The first of the children from `at` on, if there is one.
void LevelGrowth::add_candidate(double log_parent, int parent, int rank, std::size_t at,
                                std::size_t end) {
  if (at == end) return;
  candidates_.open(log_parent + children_[at].log_probability, {log_parent, parent, rank, at, end});
}

void LevelGrowth::add_children(int node, double log_path, int width, Levels& levels,
                               const TokenTree& tree) {
  const int depth = tree.depth(node);
  for (; reached_ <= depth; ++reached_) levels.reach(reached_, tree, {});
  levels.rank_likely(tree, node, width, likely_);
  const std::size_t first = children_.size();
  children_.insert(children_.end(), likely_.begin(), likely_.end());
  add_candidate(log_path, node, 0, first, children_.size());
}

bool LevelGrowth::Found::operator<(const Found& other) const {
  return log_path > other.log_path || (log_path == other.log_path && number < other.number);
}

/// The best nodes where what follows a node is known only after a pass over it: one pass a depth, over those of its nodes
/// that are among the best found so far. What is left out has as many better nodes, and so has all that is below it.
bool LevelGrowth::run_by_opened(const LevelShape& shape, int depths, Levels& levels,
                                TokenTree& tree) {
  const double least = shape.threshold > 0 ? math::log(shape.threshold) : 0;
  const auto most = static_cast<std::size_t>(shape.best_nodes);
  found_.clear();
  found_.reserve(most * (most + 1));
  discovered_ = 0;
  opened_.restart(tree.token(0));
  log_opened_.assign(1, 0);
  level_.assign(1, 0);
  bool dropped = false;
  for (int depth = 0; depth < depths && !level_.empty(); ++depth) {
    levels.reach(depth, opened_, level_);
    for (const int node : level_) find_below(node, shape.best_nodes, levels);
    std::sort(found_.begin(), found_.end());
    found_.resize(std::min(found_.size(), most));
    for (; shape.threshold > 0 && !found_.empty() && found_.back().log_path < least; dropped = true)
      found_.pop_back();
    level_.clear();
    for (Found& one : found_)
      if (opened_.depth(one.parent) == depth && depth + 1 < depths) open(one);
  }
  add_found(tree);
  return found_.size() == most || !dropped;
}

void LevelGrowth::find_below(int node, int width, Levels& levels) {
  levels.rank_likely(opened_, node, width, likely_);
  for (std::size_t rank = 0; rank < likely_.size(); ++rank) {
    const auto& [token, log_probability] = likely_[rank];
    found_.push_back({log_opened_[static_cast<std::size_t>(node)] + log_probability,
                      discovered_++,
                      node,
                      token,
                      {.source = Source::kModel,
                       .rank = static_cast<int>(rank),
                       .log_q = levels.log_q(opened_, node, token)}});
  }
}

void LevelGrowth::open(Found& found) {
  found.opened = opened_.add(found.parent, found.token, found.origin);
  level_.push_back(found.opened);
  log_opened_.push_back(found.log_path);
}

/// Adds what was found, best first, so that parents come before their children, as far as there is room.
void LevelGrowth::add_found(TokenTree& tree) {
  kept_.assign(static_cast<std::size_t>(opened_.size()), TokenTree::kNone);
  kept_[0] = 0;
  for (const Found& one : found_) {
    const int node = tree.add(kept_[static_cast<std::size_t>(one.parent)], one.token, one.origin);
    if (node == TokenTree::kNone) return;
    if (one.opened != TokenTree::kNone) kept_[static_cast<std::size_t>(one.opened)] = node;
  }
}

}  // namespace outrider::draft
