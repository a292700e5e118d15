#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/acceptance_table.h"
#include "runtime/draft/origin.h"
#include "runtime/sampling/distribution.h"

namespace outrider::draft {

enum class TreeForm : std::uint8_t {
  kMerged,  // drafts share common prefixes
  kRows,    // drafts share the root only, for comparison
};

/// The most drafts of one source in a tree.
inline constexpr int kMostDrafts = 64;

/// Limits of a tree, without the root.
struct DraftLimits {
  int depth = std::numeric_limits<int>::max();
  int nodes = std::numeric_limits<int>::max();
};

/// The shape of all drafts. Node 0, the root, is the last committed token, which the target has not
/// forwarded yet; every other node is a drafted token, which may follow its parent. A chain is a tree, k drafts are a
/// tree with shared prefixes merged.
///
/// Parents come before their children, and siblings have different tokens, so that "the child of node n with
/// token t" is unique; only in TreeForm::kRows may siblings be equal. The tree enforces its limits: nodes
/// beyond them are not added.
class TokenTree {
 public:
  static constexpr int kNone = -1;

  explicit TokenTree(Token root, const DraftLimits& limits = {});

  /// Resets to a merged tree of just a root; allocates nothing for trees of earlier sizes.
  void restart(Token root, const DraftLimits& limits = {});
  /// The form for drafts added from now on.
  void set_form(TreeForm form) { form_ = form; }
  TreeForm form() const { return form_; }
  /// The drafter of the nodes added from now on, after restarts too; returns the one before.
  const Drafter* set_drafter(const Drafter* drafter) { return std::exchange(drafter_, drafter); }

  /// What is known of the acceptance of the nodes added from now on, after restarts too, null: nothing; returns what was
  /// known before.
  const AcceptanceTable* set_acceptance(const AcceptanceTable* known) {
    return std::exchange(acceptance_, known);
  }
  const AcceptanceTable* acceptance() const { return acceptance_; }

  /// Adds `token` below `parent` and returns the node; in a merged tree, returns an existing child, with
  /// its origin unchanged but for the chance, which is the larger one. kNone if a limit is reached; without room for another node the tree is cut.
  int add(int parent, Token token, const Origin& origin = {});
  /// Adds a chain below `parent`, merging with existing nodes, within the limits.
  /// @param origin  of the first token; if it has a position, the others have the positions after it
  /// @return the last node; `parent` if none was added
  int add_chain(int parent, std::span<const Token> tokens, const Origin& origin = {});
  /// Adds a chain below the root and to `drafts`, if any of it fits the limits.
  void add_draft(std::span<const Token> tokens, const Origin& origin);

  /// The first child of `node` with `token`, or kNone.
  int child(int node, Token token) const;
  /// Children in the order in which they were added; kNone after the last.
  int first_child(int node) const { return at(node).first_child; }
  int next_sibling(int node) const { return at(node).next_sibling; }

  const DraftLimits& limits() const { return limits_; }
  /// Whether the draft would have had more nodes than `limits` leave room for. One that is only deeper than they allow
  /// is not cut: no token of it beyond them could be accepted.
  bool is_cut() const { return is_cut_; }
  /// For drafters that end at `limits` by themselves.
  void note_cut() { is_cut_ = true; }
  int size() const { return static_cast<int>(nodes_.size()); }
  /// Number of nodes without the root.
  int num_drafted() const { return size() - 1; }

  /// Marks a node that the target is not asked about, since it cannot be accepted, nor what is below it.
  void refuse(int node);
  bool is_refused(int node) const { return at(node).refused; }
  /// Number of nodes without the root and those that are refused.
  int num_sent() const { return num_drafted() - refused_; }
  Token token(int node) const { return at(node).token; }
  int parent(int node) const { return at(node).parent; }
  int depth(int node) const { return at(node).depth; }
  /// The first draft's origin for nodes that several drafts share.
  const Origin& origin(int node) const { return at(node).origin; }

  /// The chance that the target accepts a node once it has accepted its parent: what its drafter says, else what is known of
  /// the acceptance of such nodes, else the draft's own probability. Origin::kUnknown where there is neither.
  float chance(int node) const;

  /// What the first child of a node was drawn from, for verification by rejection; null where its children were chosen.
  const sampling::Distribution* drawn_from(int node) const { return at(node).drawn_from; }
  /// @param q  must outlive the verification of the tree
  void note_drawn_from(int node, const sampling::Distribution& q) { at(node).drawn_from = &q; }

  /// A draft that was added to the tree.
  struct Draft {
    Origin origin;  // of its first token
    int last;       // deepest node
  };
  /// The drafts of `add_draft`, in order.
  const std::vector<Draft>& drafts() const { return drafts_; }
  /// Notes one whose nodes are there.
  void note_draft(const Draft& draft) { drafts_.push_back(draft); }

 private:
  struct Node {
    Token token;
    int parent;
    int depth;
    Origin origin;
    int first_child = kNone;
    int last_child = kNone;
    int next_sibling = kNone;
    bool refused = false;
    const sampling::Distribution* drawn_from = nullptr;
  };
  float chance_of(const Origin& origin, int depth) const;
  const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  Node& at(int node) { return nodes_[static_cast<std::size_t>(node)]; }

  TreeForm form_ = TreeForm::kMerged;
  const Drafter* drafter_ = nullptr;
  const AcceptanceTable* acceptance_ = nullptr;
  DraftLimits limits_;
  bool is_cut_ = false;
  std::vector<Node> nodes_;
  int refused_ = 0;  // nodes
  std::vector<Draft> drafts_;
};

}  // namespace outrider::draft
