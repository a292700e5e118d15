#pragma once

#include "runtime/draft/ngram/ngram_tables.h"
#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// Adds rows of the extended bigram below the root: row i is the i-th likeliest next token of the
/// root's, then what the model generated after it, as far as the tables hold that, then always the
/// likeliest next one. N-Grammys (Stewart et al. 2024), section 4.1.
/// @param rows  how many, from the likeliest on; at most the table's width
/// @param length  tokens of a row
void add_extended_bigram(TokenTree& tree, const NgramTables& tables, int rows, int length);

}  // namespace outrider::draft
