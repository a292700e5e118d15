#pragma once

#include "runtime/draft/ngram/ngram_tables.h"
#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// Adds drafts of the extended bigram below the root: row i is the i-th most likely next token after the
/// root, then the model's own continuation as far as the tables have it, then always the most likely next
/// token. N-Grammys (Stewart et al. 2024), section 4.1.
/// @param rows  drafts, at most the table's width
/// @param length  tokens per draft
void add_extended_bigram(TokenTree& tree, const NgramTables& tables, int rows, int length);

}  // namespace outrider::draft
