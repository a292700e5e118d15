#include "runtime/draft/stop/text_match.h"

#include "runtime/draft/copy/latest_match.h"

namespace outrider::draft {

int text_match(std::span<const Token> before, Token drafted) {
  const EarlierMatch match = latest_match(before, 1, kLongestTextMatch);
  if (match.tokens == 0) return 0;
  return before[static_cast<std::size_t>(match.after)] == drafted ? match.tokens : -match.tokens;
}

}  // namespace outrider::draft
