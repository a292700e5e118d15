#include "runtime/draft/copy/latest_match.h"

#include "runtime/draft/copy/copy_sources.h"

namespace outrider::draft {

EarlierMatch latest_match(std::span<const Token> text, int shortest, int longest) {
  EarlierMatch found;
  int most = shortest - 1;
  for (int last = static_cast<int>(text.size()) - 2; last >= most && most < longest; --last) {
    const int matching = matching_tokens(text, last, longest);
    if (matching <= most) continue;
    most = matching;
    found = {matching, last + 1};
  }
  return found;
}

}  // namespace outrider::draft
