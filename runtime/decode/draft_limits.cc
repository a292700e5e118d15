#include "runtime/decode/draft_limits.h"

#include <algorithm>

namespace outrider::decode {

draft::DraftLimits draft_limits(int left, int tokens, int context, int nodes) {
  // The pass itself yields one token, so deeper nodes could never be accepted.
  return {std::min(left, context - tokens) - 1, context + nodes - tokens};
}

void make_draft(draft::Drafter* drafter, const draft::DraftContext& context,
                const draft::DraftLimits& limits, draft::TokenTree& tree) {
  tree.restart(context.committed.back(), limits);
  const bool has_room = limits.depth >= 1 && limits.nodes >= 1;
  if (drafter != nullptr && has_room) drafter->draft(context, tree);
}

}  // namespace outrider::decode
