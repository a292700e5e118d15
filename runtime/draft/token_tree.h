#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::draft {

enum class TreeForm : std::uint8_t {
  kMerged,  // rows share what they begin with
  kRows,    // rows share only the root, for comparison
};

enum class RowSource : std::uint8_t { kContext, kBigram, kUnigram };

/// One of the k drafts that a tree was made of.
struct DraftRow {
  RowSource source;
  int rank;  // within the source, from 0
  int last;  // its deepest node
};

/// The one shape of every draft. Node 0, the root, is the last committed token, which the target
/// has not forwarded yet; every other node is a guess at what follows its parent. A chain is a
/// tree, k rows are a tree with shared prefixes merged.
///
/// Parents come before their children, and siblings carry different tokens, so that "the child of
/// node n with token t" is unique; only siblings of TreeForm::kRows may be alike.
class TokenTree {
 public:
  static constexpr int kNone = -1;

  explicit TokenTree(Token root, TreeForm form = TreeForm::kMerged);

  /// Becomes a merged tree of just a root.
  void restart(Token root);

  /// Adds `token` below `parent` and returns the node; where trees are merged and that child exists
  /// already, returns it.
  int add(int parent, Token token);
  /// Adds a chain below `parent`, merging with what is there; returns the last node.
  int add_chain(int parent, std::span<const Token> tokens);
  /// Adds a row below the root, as far as the budget of nodes reaches, and notes where it came from.
  void add_row(std::span<const Token> tokens, RowSource source, int rank, int budget);

  /// Takes away what lies deeper than `depth`; the root's depth is 0.
  void cut(int depth);

  /// The first child of `node` with `token`, or kNone.
  int child(int node, Token token) const;
  /// Children in the order in which they were added; kNone behind the last.
  int first_child(int node) const { return at(node).first_child; }
  int next_sibling(int node) const { return at(node).next_sibling; }

  int size() const { return static_cast<int>(nodes_.size()); }
  /// Nodes without the root.
  int num_drafted() const { return size() - 1; }
  Token token(int node) const { return at(node).token; }
  int parent(int node) const { return at(node).parent; }
  int depth(int node) const { return at(node).depth; }
  /// Those noted by `add_row`, in their order.
  const std::vector<DraftRow>& rows() const { return rows_; }

 private:
  struct Node {
    Token token;
    int parent;
    int depth;
    int first_child = kNone;
    int last_child = kNone;
    int next_sibling = kNone;
  };
  const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  Node& at(int node) { return nodes_[static_cast<std::size_t>(node)]; }
  bool merges(int parent, Token token) const {
    return form_ == TreeForm::kMerged && child(parent, token) != kNone;
  }

  TreeForm form_;
  std::vector<Node> nodes_;
  std::vector<DraftRow> rows_;
};

}  // namespace outrider::draft
