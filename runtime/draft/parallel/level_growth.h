#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/draft/token_tree.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::draft {

/// The form of trees whose nodes of one depth all have as many children.
struct LevelShape {
  int length = 1;  // depths at most
  /// Children of every node by depth, from below the root; deeper nodes have one.
  std::vector<int> widths = {};
  /// A depth is drafted if the product of the largest probabilities of its slot and those before is at
  /// least this.
  double threshold = 0;

  bool operator==(const LevelShape&) const = default;
  bool operator<(const LevelShape& other) const;
  /// Children of a node, at a depth counted from 0, the root's.
  int width(int depth) const;
  /// Whether no node has more than one.
  bool is_chain() const;
  /// Nodes of a tree that the threshold does not end.
  int nodes() const;
  /// The widths as text: "chain", or "3,2,1".
  std::string tree() const;
};

/// What may stand at each depth of a draft: from passes of a drafter, or from a record of some.
class Levels {
 public:
  virtual ~Levels() = default;
  /// Goes to the next depth, counted from 0. @return the logarithm of the largest probability of its slot
  virtual double reach(int depth) = 0;
  /// The tokens of the depth reached last, best first; at most so many.
  /// @param before  the token that they follow
  virtual std::span<const sampling::RankedToken> draw(Token before, int width) = 0;
  /// The logarithm of a token's probability in its slot.
  virtual float log_q(Token token) = 0;
};

/// Drafts a tree depth by depth.
class LevelGrowth {
 public:
  /// @param depths  at most, instead of the shape's length
  /// @param tree    of just a root
  /// @return false where a depth was not probable enough
  bool run(const LevelShape& shape, int depths, Levels& levels, TokenTree& tree);

 private:
  bool add_level(int width, Levels& levels, TokenTree& tree);

  std::vector<int> level_;  // nodes of the depth before
  std::vector<int> next_level_;
};

}  // namespace outrider::draft
