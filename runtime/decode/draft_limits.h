#pragma once

#include "runtime/draft/drafter.h"

namespace outrider::decode {

/// How large the draft of a step may be.
/// @param left     tokens that may still be generated
/// @param tokens   of the text so far; all but the last have been forwarded
/// @param context  the most tokens the text may reach
/// @param nodes    rows that a pass may write beyond the context before the rejected ones are dropped:
///                 draft::DrafterTraits::most_nodes
draft::DraftLimits draft_limits(int left, int tokens, int context, int nodes);

/// Makes `tree` the draft for a context: only the root if the limits leave no room or there is no
/// drafter.
void make_draft(draft::Drafter* drafter, const draft::DraftContext& context,
                const draft::DraftLimits& limits, draft::TokenTree& tree);

}  // namespace outrider::decode
