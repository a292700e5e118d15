#include "runtime/draft/copy/pld.h"

#include <algorithm>

#include "runtime/draft/copy/copy_sources.h"

namespace outrider::draft {
namespace {

constexpr int kNoMatch = -1;

/// The last position of the longest match, the latest on a tie.
int latest_match(std::span<const Token> text, int shortest, int longest) {
  int found = kNoMatch;
  int most = shortest - 1;
  for (int last = static_cast<int>(text.size()) - 2; last >= most && most < longest; --last) {
    const int matching = matching_tokens(text, last, longest);
    if (matching <= most) continue;
    most = matching;
    found = last;
  }
  return found;
}

/// The last position of the longest n-gram with a match that `length` tokens follow: of the earliest one.
int earliest_match(std::span<const Token> text, std::size_t longest, std::size_t length) {
  for (std::size_t n = longest; n > 0; --n) {
    if (n + length > text.size()) continue;
    const std::span<const Token> suffix = text.last(n);
    // What has to follow also keeps the suffix from matching itself.
    const std::span<const Token> searched = text.first(text.size() - length);
    const auto match = std::search(searched.begin(), searched.end(), suffix.begin(), suffix.end());
    if (match != searched.end())
      return static_cast<int>(match - searched.begin()) + static_cast<int>(n) - 1;
  }
  return kNoMatch;
}

}  // namespace

void Pld::fill(const DraftContext& context, TokenTree& tree) {
  const std::span<const Token> text = context.committed;
  const std::size_t length = static_cast<std::size_t>(options_.draft_length);
  const int match = options_.published
                        ? earliest_match(text, static_cast<std::size_t>(options_.ngram), length)
                        : latest_match(text, options_.shortest, options_.ngram);
  if (match == kNoMatch) return;
  const std::span<const Token> after = text.subspan(static_cast<std::size_t>(match) + 1);
  tree.add_chain(0, after.first(std::min(after.size(), length)),
                 {.source = Source::kContext, .position = match + 1});
}

}  // namespace outrider::draft
