#pragma once

#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/ngram/ngram_tables.h"
#include "runtime/draft/ngram/table_choice.h"

namespace outrider::draft {

/// Drafts of the extended bigram: row i begins with the i-th most likely next token after the root, goes on
/// with the model's own continuation as far as the tables have it, then always with the most likely next token.
/// N-Grammys (Stewart et al. 2024), section 4.1.
///
/// Above temperature 0, which the paper does not treat, tokens are ranked by TableChoice: by their probability
/// and the target's noise. The model's continuations have no probabilities and stay as they are.
class ExtendedBigram {
 public:
  /// @throws std::logic_error for a table without probabilities
  explicit ExtendedBigram(TablesPtr tables);

  /// Adds drafts below the root.
  /// @param rows    drafts, at most the table's width
  /// @param length  tokens per draft
  void add(const DraftContext& context, int rows, int length, TokenTree& tree);

 private:
  void rank_first(const DraftContext& context, Token root, int rows);
  Token best_after(const DraftContext& context, Token token, int depth);

  TablesPtr tables_;
  TableChoice choice_;
  std::vector<int> ranks_;  // [rows] of the first tokens, in the table's row of the root
  std::vector<Token> row_;
};

}  // namespace outrider::draft
