#include "runtime/draft/ngram/context_ngram.h"

namespace outrider::draft {

ContextNgram::ContextNgram(const ContextNgramOptions& options)
    : options_(options), index_(options.query, options.draft_length, options.drafts) {}

TokenTree ContextNgram::draft(std::span<const Token> committed, int budget) {
  TokenTree tree(committed.back(), options_.form);
  index_.extend(committed);
  int rank = 0;
  for (const NgramIndex::Continuation& one : index_.of_suffix())
    tree.add_row(committed.subspan(one.latest, static_cast<std::size_t>(options_.draft_length)),
                 RowSource::kContext, rank++, budget);
  return tree;
}

}  // namespace outrider::draft
