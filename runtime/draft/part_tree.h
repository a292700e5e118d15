#pragma once

#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// The tree that a part of a composed drafter fills by itself, and where its nodes are in the tree that is verified, its
/// own ones and those of other parts with the same tokens.
class PartTree {
 public:
  static constexpr int kNone = TokenTree::kNone;

  /// What was accepted, as the part sees it.
  struct Told {
    std::span<const int> accepted;  // nodes of its own tree, from below the root down
    Token next;                     // the token after them
  };

  /// Starts a tree of just the root of the whole one, with its limits.
  /// @param nodes  at most; one that ends there cuts nothing of the whole
  TokenTree& begin(const TokenTree& whole, int nodes);
  TokenTree& begin(const TokenTree& whole) { return begin(whole, whole.limits().nodes); }
  const TokenTree& tree() const { return tree_; }

  /// Adds its nodes to the whole tree, where they share the prefixes that are there, and its drafts.
  void merge_into(TokenTree& whole);
  /// Finds its nodes in the whole tree, once all parts have drafted.
  void find_in(const TokenTree& whole);
  /// What verification says of the whole tree, as far as it is in its own: the nodes down to the first that it lacks.
  /// Valid until it is asked again.
  Told told(std::span<const int> accepted, Token next);

 private:
  TokenTree tree_{0};
  std::vector<int> places_;    // [own nodes] in the whole tree; kNone: had no room there
  std::vector<int> own_;       // [nodes of the whole tree] in its own; kNone: not there
  std::vector<Token> tokens_;  // [nodes of the whole tree]
  std::vector<int> accepted_;
};

}  // namespace outrider::draft
