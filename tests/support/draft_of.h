#pragma once

#include "runtime/draft/drafter.h"

namespace outrider::test {

/// The tree that a drafter fills after a text, of at most `nodes` nodes.
inline draft::TokenTree draft_of(draft::Drafter& drafter, std::span<const Token> text,
                                 int nodes = 100) {
  draft::TokenTree tree(text.back(), {.nodes = nodes});
  drafter.draft({text}, tree);
  return tree;
}

}  // namespace outrider::test
