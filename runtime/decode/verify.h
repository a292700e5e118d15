#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/token_tree.h"
#include "runtime/draft/tree_walk.h"
#include "runtime/engine/pass.h"
#include "runtime/sampling/token_constraint.h"

namespace outrider::decode {

/// The result of verifying a draft. Nodes, by their numbers in the tree.
struct VerifiedDraft {
  std::span<const int>
      path;  // the root and the accepted nodes; valid until the next draft is verified
  std::span<const int> kept;  // the same without the node that ended the text: rows to commit
  Token next = 0;             // the text's last token, which has no row that is kept

  int accepted() const { return static_cast<int>(path.size()) - 1; }
};

/// Verifies a draft that was forwarded: from the root, takes the target's choice, follows the child with
/// that token, and so on until there is none or the text ends. Each choice is the one that plain
/// decoding would make at its position, so the text does not depend on the draft, at any temperature.
/// Allocates nothing for a draft like those before.
class Verifier {
 public:
  /// @param tree  must outlive the verification
  void begin(const draft::TokenTree& tree);

  /// Whether the choice after a node is wanted, and after which.
  bool asks() const { return asks_; }
  int node() const { return walk_.node(); }
  /// The target's choice by the row of `node`, after all tokens accepted so far.
  /// @return the origin of the node that proposed it; Source::kNone where none did
  draft::Origin choose(Token choice);
  /// The text ends with the last choice.
  void end() { asks_ = false; }

  /// Once nothing is asked any more.
  VerifiedDraft result() const;

 private:
  const draft::TokenTree* tree_ = nullptr;
  draft::TreeWalk walk_;
  Token next_ = 0;
  bool follows_ = false;  // whether a node proposed the last choice
  bool asks_ = false;
};

/// The target's choice by the row of a node, after all tokens accepted so far.
using Choose = std::function<Token(int node)>;
/// Appends a choice to the text, with the origin of the node that proposed it, or Source::kNone.
/// Returns false if the text ends with it.
using Take = std::function<bool(Token choice, const draft::Origin& origin)>;

/// Verifies a draft whose choices are there already, or made one at a time.
VerifiedDraft verify(const draft::TokenTree& tree, Verifier& verifier, const Choose& choose,
                     const Take& take);

/// Adds the nodes of a draft to a pass, after the tokens that the sequence has committed, all with logits. They have
/// consecutive rows, the root first; those that are refused have none.
/// @param sequence  index into Pass::sequences
void add_rows(const draft::TokenTree& tree, int sequence, engine::Pass& pass);
/// The same. @param rows  [nodes] set to the row of each among those of the draft; kNone of one that is refused
void add_rows(const draft::TokenTree& tree, int sequence, engine::Pass& pass,
              std::vector<int>& rows);

/// Refuses the nodes of a draft that the answer may not go on with, and what is below them.
/// @param constraint  left as it was
void refuse_nodes(draft::TokenTree& tree, sampling::TokenConstraint& constraint);

/// The nodes of a draft that were sent and not kept, ascending.
/// @param kept  of VerifiedDraft
void rejected_nodes(const draft::TokenTree& tree, std::span<const int> kept,
                    std::vector<int>& rejected);

}  // namespace outrider::decode
