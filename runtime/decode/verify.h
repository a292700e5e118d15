#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/token_tree.h"
#include "runtime/draft/tree_walk.h"
#include "runtime/engine/pass.h"

namespace outrider::decode {

/// The target's choice by the row of a node, after all tokens accepted so far.
using Choose = std::function<Token(int node)>;
/// Appends a choice to the text, with the origin of the node that proposed it, or Source::kNone.
/// Returns false if the text ends with it.
using Take = std::function<bool(Token choice, const draft::Origin& origin)>;

/// Makes the rows of a pass the nodes of a draft, after the tokens that the sequence has committed, all with
/// logits.
void put_rows(const draft::TokenTree& tree, engine::Pass& pass);

/// The result of verifying a draft.
struct VerifiedDraft {
  std::span<const int> path;  // the root and the accepted nodes; valid until the next walk
  std::span<const int> kept;  // the same without the node that ended the text: rows to commit
  Token next = 0;             // the text's last token, which has no row that is kept

  int accepted() const { return static_cast<int>(path.size()) - 1; }
};

/// Verifies a draft that was forwarded: from the root, takes the target's choice, follows the child with
/// that token, and so on until there is none or the text ends. Each choice is the one that plain
/// decoding would make at its position, so the text does not depend on the draft, at any temperature.
/// Allocates nothing for a draft like those before.
VerifiedDraft verify(const draft::TokenTree& tree, draft::TreeWalk& walk, const Choose& choose,
                     const Take& take);

/// The nodes of a draft that were not kept, ascending.
/// @param kept  of VerifiedDraft
void rejected_nodes(const draft::TokenTree& tree, std::span<const int> kept,
                    std::vector<int>& rejected);

}  // namespace outrider::decode
