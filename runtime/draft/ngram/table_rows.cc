#include "runtime/draft/ngram/table_rows.h"

#include <algorithm>
#include <vector>

namespace outrider::draft {

void add_extended_bigram(TokenTree& tree, const NgramTables& tables, int rows, int length) {
  std::vector<Token> row(static_cast<std::size_t>(length));
  for (int rank = 0; rank < std::min(rows, tables.top); ++rank) {
    row[0] = tables.next_of(tree.token(0))[static_cast<std::size_t>(rank)];
    const std::span<const Token> by_model = tables.extension_of(tree.token(0), rank);
    for (std::size_t i = 1; i < row.size(); ++i)
      row[i] = i <= by_model.size() ? by_model[i - 1] : tables.next_of(row[i - 1])[0];
    tree.add_draft(row, {.source = Source::kBigram, .rank = rank});
  }
}

}  // namespace outrider::draft
