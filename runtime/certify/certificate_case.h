#pragma once

#include <random>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::engine {

/// The same numbers on every machine.
using Random = std::mt19937_64;

inline int between(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// A text, a tree that hangs below its last token, a path of the tree that is kept, and what then
/// follows.
struct CertifiedSequence {
  std::vector<Token> text;
  std::vector<Token> tree;
  std::vector<int> parents;  // parents[i] < i, or -1
  std::vector<int> path;     // rows of the tree, from a root down
  Token next;

  int text_size() const { return static_cast<int>(text.size()); }
  int tree_size() const { return static_cast<int>(tree.size()); }
  /// Tokens that a cache must have room for.
  int capacity() const { return text_size() + tree_size() + 1; }
  /// The rows of the tree below `parent`, -1 being the text.
  std::vector<int> children(int parent) const;
};

/// How large a case may be.
struct CaseLimits {
  int context;  // tokens of a text
  int rows;     // of a tree

  /// So that every text and tree fits into `most` positions.
  CaseLimits within(int most) const;
};

/// One to three sequences that are forwarded together; those behind the first have shorter texts and
/// smaller trees.
std::vector<CertifiedSequence> random_case(Random& random, const CaseLimits& limits, int vocab);

}  // namespace outrider::engine
