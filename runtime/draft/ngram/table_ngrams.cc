#include "runtime/draft/ngram/table_ngrams.h"

#include <algorithm>

#include "runtime/draft/ngram/table_rows.h"

namespace outrider::draft {

TokenTree Unigram::draft(std::span<const Token> committed, int budget) {
  TokenTree tree(committed.back(), form_);
  const std::span<const Token> ranking = tables_->unigram;
  const int rows = std::min({drafts_, budget, tables_->vocab()});
  for (int rank = 0; rank < rows; ++rank)
    tree.add_row(ranking.subspan(static_cast<std::size_t>(rank), 1), RowSource::kUnigram, rank,
                 budget);
  return tree;
}

TokenTree Bigram::draft(std::span<const Token> committed, int budget) {
  TokenTree tree(committed.back(), options_.form);
  add_extended_bigram(tree, *tables_, options_.drafts, options_.draft_length, budget);
  return tree;
}

NGrammys::NGrammys(TablesPtr tables, const NGrammysOptions& options)
    : tables_(std::move(tables)),
      options_(options),
      index_(options.query, options.draft_length, options.drafts) {}

TokenTree NGrammys::draft(std::span<const Token> committed, int budget) {
  TokenTree tree(committed.back(), options_.form);
  index_.extend(committed);
  const std::vector<NgramIndex::Continuation> found = index_.of_suffix();
  for (std::size_t rank = 0; rank < found.size(); ++rank)
    tree.add_row(
        committed.subspan(found[rank].latest, static_cast<std::size_t>(options_.draft_length)),
        RowSource::kContext, static_cast<int>(rank), budget);
  add_extended_bigram(tree, *tables_, options_.drafts - static_cast<int>(found.size()),
                      options_.draft_length, budget);
  return tree;
}

}  // namespace outrider::draft
