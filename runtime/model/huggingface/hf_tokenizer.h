#pragma once

#include <optional>

#include "runtime/model/json_object.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::model {

/// The tokenizer of a Hugging Face folder.
/// @param file      tokenizer.json
/// @param settings  tokenizer_config.json, for tokens that only it knows and the chat template; with what
///                  special_tokens_map.json and added_tokens.json say and it does not
/// @param vocab     rows of the embedding; nothing: as many as there are ids. Ids without a token get
///                  unused ones
/// @throws InputError naming the part that is missing, contradictory or not supported
text::TokenizerSpec read_hf_tokenizer(const JsonObject& file, const JsonObject& settings,
                                      std::optional<int> vocab);

}  // namespace outrider::model
