#pragma once

#include <string>
#include <vector>

#include "runtime/tokenizer/bpe_vocabulary.h"
#include "runtime/tokenizer/merge_table.h"

namespace outrider::text {

/// The merges of a vocabulary that has scores in place of them, as SentencePiece means it: any two
/// neighbours merge that are a token of text together (none that is special, or a byte's); of all such,
/// the token of the highest score first.
struct ScoreMerges {
  MergeTable table;  // ranks are equal where scores are
  /// Symbol vocab + i is a character that no token is, but that tokens are made of.
  std::vector<std::string> characters;
};

/// @throws InputError for scores that are not one finite number a token; a token too long to have come
///         from such a vocabulary, which would have too many ways to be made
ScoreMerges score_merges(const TokenizerSpec& spec, const BpeVocabulary& vocabulary);

}  // namespace outrider::text
