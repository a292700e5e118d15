#include "runtime/draft/parallel/level_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "runtime/base/math.h"

namespace outrider::draft {

bool LevelShape::operator<(const LevelShape& other) const {
  return std::tie(widths, length, threshold) <
         std::tie(other.widths, other.length, other.threshold);
}

int LevelShape::width(int depth) const {
  const auto at = static_cast<std::size_t>(depth);
  return at < widths.size() ? widths[at] : 1;
}

bool LevelShape::is_chain() const {
  return std::all_of(widths.begin(), widths.end(), [](int one) { return one == 1; });
}

int LevelShape::nodes() const {
  int all = 0, level = 1;
  for (int depth = 0; depth < length; ++depth) all += level *= width(depth);
  return all;
}

std::string LevelShape::tree() const {
  return is_chain() ? "chain" : fmt::format("{}", fmt::join(widths, ","));
}

bool LevelGrowth::run(const LevelShape& shape, int depths, Levels& levels, TokenTree& tree) {
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
      const int node = tree.add(
          parent, token,
          {.source = Source::kModel, .rank = static_cast<int>(rank), .log_q = levels.log_q(token)});
      if (node == TokenTree::kNone) return false;
      next_level_.push_back(node);
    }
  }
  std::swap(level_, next_level_);
  return true;
}

}  // namespace outrider::draft
