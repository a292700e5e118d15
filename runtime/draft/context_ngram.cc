#include "runtime/draft/context_ngram.h"

#include <algorithm>

namespace outrider::draft {

ContextNgram::ContextNgram(const ContextNgramOptions& options)
    : length_(static_cast<std::size_t>(options.draft_length)),
      index_(options.query, options.draft_length, options.drafts) {}

TokenTree ContextNgram::draft(std::span<const Token> committed, int budget) {
  TokenTree tree(committed.back());
  index_.extend(committed);
  for (const NgramIndex::Continuation& one : index_.of_suffix()) {
    const int room = budget - tree.num_drafted();
    if (room < 1) break;
    tree.add_chain(
        0, committed.subspan(one.latest, std::min(length_, static_cast<std::size_t>(room))));
  }
  return tree;
}

}  // namespace outrider::draft
