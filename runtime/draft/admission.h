#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// How many rows of a draft give the most tokens a second, of which each adds to the tokens that a pass is expected to give
/// and to the time that it takes.
/// @param reached  [nodes] chance of each to be accepted with all above it, the best first
/// @param seconds  [1 + most] of passes of 1, 2, … rows: nodes beyond have no price, and do not pay
std::size_t nodes_that_pay(std::span<const double> reached, std::span<const double> seconds);

/// Which nodes of a draft the target is asked about, where there is no room for all of them or not all pay. Reuse allocates
/// nothing for trees of earlier sizes.
class Admission {
 public:
  /// Copies the nodes that are the most likely to be reached and accepted into another tree, the best first, so that
  /// parents come before their children, and the drafts as far as their nodes are there.
  /// @param drafted  all nodes, with their chances
  /// @param most     nodes
  /// @param seconds  as of nodes_that_pay; empty: as many as there is room for
  /// @param tree     of just the root
  void run(const TokenTree& drafted, int most, std::span<const double> seconds, TokenTree& tree);

 private:
  std::vector<double> reached_;  // [nodes]
  std::vector<int> order_;       // those that are admitted, the best first
  std::vector<double> best_;     // [order] of reached_
  std::vector<int> places_;      // [nodes] in the other tree
};

}  // namespace outrider::draft
