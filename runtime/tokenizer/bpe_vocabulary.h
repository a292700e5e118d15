#pragma once

#include <string_view>
#include <unordered_map>

#include "runtime/base/token.h"
#include "runtime/tokenizer/merge_table.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// Tokens by their stored strings, which are views into the specification.
using BpeVocabulary = std::unordered_map<std::string_view, Token>;

/// @throws InputError for two tokens with the same string
BpeVocabulary index_tokens(const TokenizerSpec& spec);

/// The merges of a specification, ranked in their order.
/// @throws InputError for a merge of, or into, a string that is not a token; for a duplicate pair
MergeTable ranked_merges(const TokenizerSpec& spec, const BpeVocabulary& vocabulary);

}  // namespace outrider::text
