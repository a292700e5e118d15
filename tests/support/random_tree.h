#pragma once

#include <random>

#include "runtime/draft/token_tree.h"

namespace outrider::test {

/// Limits of a random tree.
struct TreeShape {
  int vocab = 0;      // tokens are below this
  int nodes = 0;      // the root included
  int branching = 3;  // most children per node
};

/// A tree of exactly `shape.nodes` nodes. Half of them are children of the newest node, so that some paths
/// are long; siblings have different tokens.
/// @throws std::logic_error if a vocabulary or branching below 1 makes that impossible
draft::TokenTree random_tree(Token root, const TreeShape& shape, std::mt19937_64& random);

}  // namespace outrider::test
