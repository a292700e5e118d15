#pragma once

#include <string>
#include <vector>

#include "runtime/tokenizer/bpe_vocabulary.h"
#include "runtime/tokenizer/merge_table.h"

namespace outrider::text {

/// The merges of a vocabulary with scores, as in SentencePiece: any two adjacent symbols merge if together
/// they are a token of text (not a special or byte token), the token with the highest score first.
struct ScoreMerges {
  MergeTable table;  // ranks are equal where scores are
  /// Symbol vocab + i is a character that occurs in tokens but is not a token.
  std::vector<std::string> characters;
};

/// @throws InputError unless there is one finite score per token; for a token over 1024 bytes, which
///         would have too many splits
ScoreMerges score_merges(const TokenizerSpec& spec, const BpeVocabulary& vocabulary);

}  // namespace outrider::text
