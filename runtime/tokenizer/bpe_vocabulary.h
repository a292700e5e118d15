#pragma once

#include <string_view>
#include <unordered_map>

#include "runtime/base/token.h"
#include "runtime/tokenizer/merge_table.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// Tokens by what is stored for them; views of the description.
using BpeVocabulary = std::unordered_map<std::string_view, Token>;

/// @throws InputError for two tokens that are stored alike
BpeVocabulary index_tokens(const TokenizerSpec& spec);

/// The description's merges, ranked in their order.
/// @throws InputError for a merge of, or into, something that is not a token; a pair merged twice
MergeTable ranked_merges(const TokenizerSpec& spec, const BpeVocabulary& vocabulary);

}  // namespace outrider::text
