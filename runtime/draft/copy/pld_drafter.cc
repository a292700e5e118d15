#include "runtime/draft/copy/pld_drafter.h"

#include <algorithm>

#include "runtime/draft/copy/latest_match.h"

namespace outrider::draft {
namespace {

/// The longest n-gram with a match that `length` tokens follow: of the earliest one.
EarlierMatch earliest_match(std::span<const Token> text, std::size_t longest, std::size_t length) {
  for (std::size_t n = longest; n > 0; --n) {
    if (n + length > text.size()) continue;
    const std::span<const Token> suffix = text.last(n);
    // What has to follow also keeps the suffix from matching itself.
    const std::span<const Token> searched = text.first(text.size() - length);
    const auto match = std::search(searched.begin(), searched.end(), suffix.begin(), suffix.end());
    if (match != searched.end())
      return {static_cast<int>(n), static_cast<int>(match - searched.begin() + std::ssize(suffix))};
  }
  return {};
}

}  // namespace

void Pld::fill(const DraftContext& context, TokenTree& tree) {
  const std::span<const Token> text = context.committed;
  const std::size_t length = static_cast<std::size_t>(options_.draft_length);
  const EarlierMatch match =
      options_.published ? earliest_match(text, static_cast<std::size_t>(options_.ngram), length)
                         : latest_match(text, options_.shortest, options_.ngram);
  if (match.tokens == 0) return;
  const std::span<const Token> after = text.subspan(static_cast<std::size_t>(match.after));
  tree.add_chain(0, after.first(std::min(after.size(), length)),
                 {.source = Source::kContext, .position = match.after});
}

}  // namespace outrider::draft
