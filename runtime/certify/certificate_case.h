#pragma once

#include <exception>
#include <functional>
#include <random>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::certify {

/// Gives the same numbers on every machine.
using Random = std::mt19937_64;

inline int between(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// True one time in `n`.
inline bool one_in(Random& random, int n) { return between(random, 1, n) == 1; }

/// A text, a tree below its last token, a path of the tree to be committed, the token decoded after
/// it, and the length to which the text is then truncated to be continued from there.
struct CertifiedSequence {
  std::vector<Token> text;
  int shared = 0;  // length of the prefix it has in common with the first sequence
  std::vector<Token> tree;
  std::vector<int> parents;  // parents[i] < i, or -1
  std::vector<int> path;     // rows of the tree, from a root down
  Token next;
  int cut;  // tokens of the text kept by the truncation

  int text_size() const { return static_cast<int>(text.size()); }
  int tree_size() const { return static_cast<int>(tree.size()); }
  /// Tokens that a cache must have room for.
  int capacity() const { return text_size() + tree_size() + 1; }
  /// The children of `parent`, -1 being the text.
  std::vector<int> children(int parent) const;
};

/// Called before every pass of a case; ends the case by throwing CaseStopped.
using BeforePass = std::function<void()>;
/// The time is up, or the user interrupted the run.
class CaseStopped : public std::exception {};

/// The largest size of a case.
struct CaseLimits {
  int context;  // tokens of a text
  int rows;     // of a tree

  /// Reduced so that every text and tree fits into `most` positions.
  CaseLimits within(int most) const;
};

/// The most sequences in a pass of a case.
inline constexpr int kMostSequences = 32;

/// Sequences that are forwarded together: one to three, or one case in four kMostSequences. Those
/// after the first have shorter texts and smaller trees; half of them share a prefix with the
/// first.
std::vector<CertifiedSequence> random_case(Random& random, const CaseLimits& limits, int vocab);

}  // namespace outrider::certify
