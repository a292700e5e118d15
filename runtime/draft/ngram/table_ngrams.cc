#include "runtime/draft/ngram/table_ngrams.h"

#include <algorithm>

#include "runtime/draft/ngram/context_ngram.h"

namespace outrider::draft {

void Unigram::fill(const DraftContext& /*context*/, TokenTree& tree) {
  tree.set_form(form_);
  const std::span<const Token> ranking = tables_->unigram;
  for (int rank = 0; rank < std::min(drafts_, tables_->vocab()); ++rank)
    tree.add_draft(ranking.subspan(static_cast<std::size_t>(rank), 1),
                   {.source = Source::kUnigram, .rank = rank});
}

void Bigram::fill(const DraftContext& context, TokenTree& tree) {
  tree.set_form(options_.form);
  bigram_.add(context, options_.drafts, options_.draft_length, tree);
}

NGrammys::NGrammys(TablesPtr tables, const NGrammysOptions& options)
    : bigram_(std::move(tables)),
      options_(options),
      index_(options.query, options.draft_length, options.drafts) {}

void NGrammys::fill(const DraftContext& context, TokenTree& tree) {
  tree.set_form(options_.form);
  index_.extend(context.committed);
  const std::vector<NgramIndex::Continuation> found = index_.of_suffix();
  add_continuations(tree, context.committed, found, options_.draft_length);
  bigram_.add(context, options_.drafts - static_cast<int>(found.size()), options_.draft_length,
              tree);
}

}  // namespace outrider::draft
