#pragma once

#include <random>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::certify {

/// The same numbers on every machine.
using Random = std::mt19937_64;

inline int between(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// True one time in `n`.
inline bool one_in(Random& random, int n) { return between(random, 1, n) == 1; }

/// A text, a tree that hangs below its last token, a path of the tree that is committed, what then
/// follows, and where the text is cut afterwards to go on from there.
struct CertifiedSequence {
  std::vector<Token> text;
  int shared = 0;  // so many of its first tokens are also those of the first sequence
  std::vector<Token> tree;
  std::vector<int> parents;  // parents[i] < i, or -1
  std::vector<int> path;     // rows of the tree, from a root down
  Token next;
  int cut;  // tokens of the text that stay

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

/// As many sequences as a pass of a case has at most.
inline constexpr int kMostSequences = 32;

/// Sequences that are forwarded together: one to three, or one case in four kMostSequences. Those after
/// the first have shorter texts and smaller trees; half of them begin as the first does.
std::vector<CertifiedSequence> random_case(Random& random, const CaseLimits& limits, int vocab);

}  // namespace outrider::certify
