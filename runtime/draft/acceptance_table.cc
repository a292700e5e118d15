#include "runtime/draft/acceptance_table.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "runtime/base/math.h"
#include "runtime/draft/token_tree.h"

namespace outrider::draft {
namespace {

using Cell = AcceptanceTable::Cell;

/// What is smoothed with weighs as much as so many tokens that were offered.
constexpr double kPriorTokens = 16;

double probability(float log_q) {
  constexpr float kLeast = -100;  // as good as never, and not infinite
  return math::exp(static_cast<double>(std::max(log_q, kLeast)));
}

/// Cells that differ in their depth only are next to each other.
auto key(const Cell& cell) { return std::tuple(cell.source, cell.rank, cell.tenth, cell.depth); }
bool before(const Cell& a, const Cell& b) { return key(a) < key(b); }

double smoothed(std::int64_t accepted, std::int64_t offered, double prior) {
  return (static_cast<double>(accepted) + kPriorTokens * prior) /
         (static_cast<double>(offered) + kPriorTokens);
}

}  // namespace

AcceptanceTable::Cell AcceptanceTable::cell_of(const Origin& origin, int depth) {
  Cell cell;
  cell.source = origin.source;
  cell.rank = std::min(origin.rank, kRanks - 1);
  cell.depth = std::min(depth, kDepths);
  if (!std::isnan(origin.log_q)) {
    cell.tenth = std::min(static_cast<int>(probability(origin.log_q) * kTenths), kTenths - 1);
  }
  return cell;
}

void AcceptanceTable::reserve() { cells_.reserve(kSources * kRanks * (kTenths + 1) * kDepths); }

void AcceptanceTable::add(const Cell& cell) {
  const auto at = std::lower_bound(cells_.begin(), cells_.end(), cell, before);
  if (at == cells_.end() || before(cell, *at)) {
    cells_.insert(at, cell);
  } else {
    at->offered += cell.offered;
    at->accepted += cell.accepted;
  }
}

void AcceptanceTable::add(const AcceptanceTable& other) {
  for (const Cell& cell : other.cells_) add(cell);
}

void AcceptanceTable::add(const TokenTree& tree, std::span<const int> path,
                          std::span<const int> kept) {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const bool goes_on = i + 1 < path.size();
    for (int child = tree.first_child(kept[i]); child != TokenTree::kNone;
         child = tree.next_sibling(child)) {
      if (tree.is_refused(child)) continue;
      Cell cell = cell_of(tree.origin(child), tree.depth(child));
      cell.offered = 1;
      cell.accepted = goes_on && tree.token(child) == tree.token(path[i + 1]) ? 1 : 0;
      add(cell);
    }
  }
}

float AcceptanceTable::chance(const Origin& origin, int depth) const {
  const Cell wanted = cell_of(origin, depth);
  Cell any_depth = wanted;
  any_depth.depth = 0;
  std::int64_t offered = 0, accepted = 0;
  Cell here;
  for (auto cell = std::lower_bound(cells_.begin(), cells_.end(), any_depth, before);
       cell != cells_.end() && cell->source == wanted.source && cell->rank == wanted.rank &&
       cell->tenth == wanted.tenth;
       ++cell) {
    offered += cell->offered;
    accepted += cell->accepted;
    if (cell->depth == wanted.depth) here = *cell;
  }
  const bool has_own = !std::isnan(origin.log_q);
  if (!has_own && offered == 0) return Origin::kUnknown;
  const double own = has_own ? probability(origin.log_q) : Origin::kUnknownChance;
  return static_cast<float>(
      smoothed(here.accepted, here.offered, smoothed(accepted, offered, own)));
}

}  // namespace outrider::draft
