#include "runtime/draft/table_ngrams.h"

#include <algorithm>

#include "runtime/draft/table_rows.h"

namespace outrider::draft {

TokenTree Unigram::draft(std::span<const Token> committed, int budget) {
  TokenTree tree(committed.back());
  const int rows = std::min({drafts_, budget, tables_->vocab()});
  for (int rank = 0; rank < rows; ++rank)
    tree.add(0, tables_->unigram[static_cast<std::size_t>(rank)]);
  return tree;
}

TokenTree Bigram::draft(std::span<const Token> committed, int budget) {
  TokenTree tree(committed.back());
  add_extended_bigram(tree, *tables_, options_.drafts, options_.draft_length, budget);
  return tree;
}

NGrammys::NGrammys(TablesPtr tables, const NGrammysOptions& options)
    : tables_(std::move(tables)),
      options_(options),
      index_(options.query, options.draft_length, options.drafts) {}

TokenTree NGrammys::draft(std::span<const Token> committed, int budget) {
  TokenTree tree(committed.back());
  index_.extend(committed);
  const std::vector<NgramIndex::Continuation> found = index_.of_suffix();
  for (const NgramIndex::Continuation& one : found)
    add_row(tree, committed.subspan(one.latest, static_cast<std::size_t>(options_.draft_length)),
            budget);
  add_extended_bigram(tree, *tables_, options_.drafts - static_cast<int>(found.size()),
                      options_.draft_length, budget);
  return tree;
}

}  // namespace outrider::draft
