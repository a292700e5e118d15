#include "runtime/draft/ngram/unigram_drafter.h"

#include <algorithm>

namespace outrider::draft {

void Unigram::fill(const DraftContext& /*context*/, TokenTree& tree) {
  tree.set_form(form_);
  const std::span<const Token> ranking = tables_->unigram;
  for (int rank = 0; rank < std::min(drafts_, tables_->vocab()); ++rank)
    tree.add_draft(ranking.subspan(static_cast<std::size_t>(rank), 1),
                   {.source = Source::kUnigram, .rank = rank});
}

}  // namespace outrider::draft
