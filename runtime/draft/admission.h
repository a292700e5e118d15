#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// The drafted nodes with which a pass gives the most tokens a second.
struct PayingNodes {
  std::size_t count = 0;
  double tokens = 1;   // that the pass is expected to give with them
  double seconds = 1;  // that it takes then

  double rate() const { return tokens / seconds; }
};

/// How many nodes of a draft pay, of which each adds to the tokens that a pass is expected to give and to the time that it
/// takes; the fewest on a tie. Whatever weighs chances of acceptance against the cost of rows asks here: the nodes of trees
/// (Admission, Recycling), the lengths of copies (DraftLengths), and the rows that a server gives to each of its texts.
/// @param reached  [nodes] chance of each to be accepted with all above it, in the order in which they are added
/// @param seconds  [1 + most] of a pass without them, with one of them, with two, …: nodes beyond have no price, and do not
///                 pay
/// @param tokens   that the pass is expected to give without them: the target's own
/// @param least_speed_up  none pay that make the pass at most so many times as fast
PayingNodes nodes_that_pay(std::span<const double> reached, std::span<const double> seconds,
                           double tokens = 1, double least_speed_up = 1);

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
