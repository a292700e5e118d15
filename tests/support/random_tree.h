#pragma once

#include <random>

#include "runtime/draft/token_tree.h"

namespace outrider::test {

/// What a random tree may look like.
struct TreeShape {
  int vocab = 0;      // tokens are below
  int nodes = 0;      // the root included
  int branching = 3;  // children of a node at most
};

/// A tree of exactly so many nodes. Half of them hang below the newest, so that there are long paths
/// among the short ones; siblings carry different tokens.
/// @throws std::logic_error if a vocabulary or branching below 1 leaves no room for them
draft::TokenTree random_tree(Token root, const TreeShape& shape, std::mt19937_64& random);

}  // namespace outrider::test
