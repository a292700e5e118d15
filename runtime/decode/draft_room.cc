#include "runtime/decode/draft_room.h"

#include <algorithm>

namespace outrider::decode {

DraftRoom room_for(int left, int tokens, int context) {
  return {std::min(left, context - tokens) - 1, context + kSpareRows - tokens};
}

draft::TokenTree draft_within(const DraftRoom& room, draft::Drafter* drafter,
                              std::span<const Token> committed) {
  if (drafter == nullptr || room.depth < 1 || room.budget < 1)
    return draft::TokenTree(committed.back());
  return drafter->draft(committed, room.budget).cut(room.depth);
}

}  // namespace outrider::decode
