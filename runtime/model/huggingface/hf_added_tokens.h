#pragma once

#include <string>

#include "runtime/base/token.h"
#include "runtime/model/json_object.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::model {

/// Stores a token at its id.
/// @throws InputError if another token has the id
void set_token(const JsonObject& where, const std::string& token, std::int64_t id,
               text::TokenKind kind, text::TokenizerSpec& spec);

/// Stores the added tokens as transformers does: those of a tokenizer.json; those of `added_tokens_decoder` in its
/// tokenizer_config.json, whose rules replace the others'; then the special tokens that this names (`eos_token`,
/// `additional_special_tokens` …), at the next ids where they have none.
/// @param grows  whether the vocabulary may grow; else tokens for which it has no room, and so the model no row, are
///               left out
void read_added_tokens(const JsonObject& file, const JsonObject& settings, bool grows,
                       text::TokenizerSpec& spec);

/// The token of this name in a tokenizer_config.json, given as a string or an object; -1 if absent.
Token named_token(const JsonObject& settings, const char* name, const text::TokenizerSpec& spec);

/// The token written so; -1 if there is none.
Token token_called(const std::string& content, const text::TokenizerSpec& spec);

}  // namespace outrider::model
