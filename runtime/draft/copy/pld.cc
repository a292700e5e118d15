#include "runtime/draft/copy/pld.h"

#include <algorithm>

namespace outrider::draft {

void Pld::draft(const DraftContext& context, TokenTree& tree) {
  const std::span<const Token> committed = context.committed;
  const std::size_t size = committed.size();
  const std::size_t length = static_cast<std::size_t>(options_.draft_length);
  for (std::size_t n = static_cast<std::size_t>(options_.ngram); n > 0; --n) {
    if (n + length > size) continue;
    const std::span<const Token> suffix = committed.last(n);
    // A match must be followed by `length` tokens, which also keeps the suffix from matching itself.
    const std::span<const Token> searched = committed.first(size - length);
    const auto match = std::search(searched.begin(), searched.end(), suffix.begin(), suffix.end());
    if (match == searched.end()) continue;
    const std::size_t after = static_cast<std::size_t>(match - searched.begin()) + n;
    tree.add_chain(0, committed.subspan(after, length),
                   {.source = Source::kContext, .position = static_cast<int>(after)});
    return;
  }
}

}  // namespace outrider::draft
