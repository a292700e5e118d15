#pragma once

#include <span>

#include "runtime/base/token.h"
#include "runtime/draft/drafter.h"

namespace outrider::decode {

/// A pass may write so many rows beyond the context before some of them are dropped: enough for the
/// largest grid of drafts that is calibrated, 25 of 14 tokens.
constexpr int kSpareRows = 384;

/// How large the draft of a step may be.
struct DraftRoom {
  int depth = 0;   // the pass itself yields one token; deeper nodes can never be kept
  int budget = 0;  // nodes
};

/// @param left     tokens that may still be made
/// @param tokens   of the text so far; all but the last have been forwarded
/// @param context  the most tokens the text may reach
DraftRoom room_for(int left, int tokens, int context);

/// `tree` becomes a draft that keeps to the room; just the root where there is none, or no drafter.
void draft_within(const DraftRoom& room, draft::Drafter* drafter, std::span<const Token> committed,
                  draft::TokenTree& tree);

}  // namespace outrider::decode
