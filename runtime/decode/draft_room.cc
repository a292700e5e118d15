#include "runtime/decode/draft_room.h"

#include <algorithm>

namespace outrider::decode {

DraftRoom room_for(int left, int tokens, int context) {
  return {std::min(left, context - tokens) - 1, context + kSpareRows - tokens};
}

void draft_within(const DraftRoom& room, draft::Drafter* drafter, std::span<const Token> committed,
                  draft::TokenTree& tree) {
  if (drafter == nullptr || room.depth < 1 || room.budget < 1) {
    tree.restart(committed.back());
    return;
  }
  tree = drafter->draft(committed, room.budget);
  tree.cut(room.depth);
}

}  // namespace outrider::decode
