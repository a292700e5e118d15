#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/origin.h"

namespace outrider::draft {

enum class TreeForm : std::uint8_t {
  kMerged,  // drafts share what they begin with
  kRows,    // drafts share only the root, for comparison
};

/// How large a tree may grow, the root left out.
struct DraftLimits {
  int depth = std::numeric_limits<int>::max();
  int nodes = std::numeric_limits<int>::max();
};

/// The one shape of every draft. Node 0, the root, is the last committed token, which the target
/// has not forwarded yet; every other node is a guess at what follows its parent. A chain is a
/// tree, k rows are a tree with shared prefixes merged.
///
/// Parents come before their children, and siblings carry different tokens, so that "the child of
/// node n with token t" is unique; only siblings of TreeForm::kRows may be alike. The tree keeps to
/// its limits by itself: what has no room is not added.
class TokenTree {
 public:
  static constexpr int kNone = -1;

  explicit TokenTree(Token root, const DraftLimits& limits = {});

  /// Becomes a merged tree of just a root; allocates nothing for a tree like those before.
  void restart(Token root, const DraftLimits& limits = {});
  /// The form of what is added from now on.
  void set_form(TreeForm form) { form_ = form; }

  /// Adds `token` below `parent` and returns the node; where trees are merged and that child exists
  /// already, returns it, with the origin it has. kNone where there is no room.
  int add(int parent, Token token, const Origin& origin = {});
  /// Adds a chain below `parent`, merging with what is there, as far as there is room.
  /// @param origin  of its first token; where that has a position, the others come from those after it
  /// @return the last node; `parent` if there is none
  int add_chain(int parent, std::span<const Token> tokens, const Origin& origin = {});
  /// Adds a chain below the root and notes it in `drafts`, if there is room for any of it.
  void add_draft(std::span<const Token> tokens, const Origin& origin);

  /// The first child of `node` with `token`, or kNone.
  int child(int node, Token token) const;
  /// Children in the order in which they were added; kNone after the last.
  int first_child(int node) const { return at(node).first_child; }
  int next_sibling(int node) const { return at(node).next_sibling; }

  const DraftLimits& limits() const { return limits_; }
  int size() const { return static_cast<int>(nodes_.size()); }
  /// Nodes without the root.
  int num_drafted() const { return size() - 1; }
  Token token(int node) const { return at(node).token; }
  int parent(int node) const { return at(node).parent; }
  int depth(int node) const { return at(node).depth; }
  /// Of nodes that several drafts share, that of the first.
  const Origin& origin(int node) const { return at(node).origin; }

  /// One of the drafts that the tree was made of.
  struct Draft {
    Origin origin;  // of its first token
    int last;       // its deepest node
  };
  /// Those noted by `add_draft`, in their order.
  const std::vector<Draft>& drafts() const { return drafts_; }

 private:
  struct Node {
    Token token;
    int parent;
    int depth;
    Origin origin;
    int first_child = kNone;
    int last_child = kNone;
    int next_sibling = kNone;
  };
  const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  Node& at(int node) { return nodes_[static_cast<std::size_t>(node)]; }

  TreeForm form_ = TreeForm::kMerged;
  DraftLimits limits_;
  std::vector<Node> nodes_;
  std::vector<Draft> drafts_;
};

}  // namespace outrider::draft
