#pragma once

#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::draft {

/// The one shape of every draft. Node 0, the root, is the last committed token, which the target
/// has not forwarded yet; every other node is a guess at what follows its parent. A chain is a
/// tree, k rows are a tree with shared prefixes merged.
///
/// Parents come before their children, and siblings carry different tokens, so that "the child of
/// node n with token t" is unique.
class TokenTree {
 public:
  static constexpr int kNone = -1;

  explicit TokenTree(Token root);

  /// Adds `token` below `parent` and returns the node; if that child exists already, returns it.
  int add(int parent, Token token);
  /// Adds a chain below `parent`, merging with what is there; returns the last node.
  int add_chain(int parent, std::span<const Token> tokens);

  /// The tree without what lies deeper than `depth`; the root's depth is 0.
  TokenTree cut(int depth) const;

  /// The child of `node` with `token`, or kNone.
  int child(int node, Token token) const;

  int size() const { return static_cast<int>(tokens_.size()); }
  /// Nodes without the root.
  int num_drafted() const { return size() - 1; }
  Token token(int node) const { return tokens_[static_cast<std::size_t>(node)]; }
  int parent(int node) const { return parents_[static_cast<std::size_t>(node)]; }
  int depth(int node) const { return depths_[static_cast<std::size_t>(node)]; }

 private:
  std::vector<Token> tokens_;
  std::vector<int> parents_;
  std::vector<int> depths_;
};

}  // namespace outrider::draft
