#pragma once

#include <optional>

#include "runtime/model/json_object.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::model {

/// The tokenizer of a Hugging Face folder.
/// @param file      tokenizer.json
/// @param settings  tokenizer_config.json, for the chat template
/// @param vocab     rows of the embedding; nothing: as many as there are ids. Ids without a token get
///                  unused ones
/// @throws InputError naming the part that is missing, contradictory or not supported
text::TokenizerSpec read_hf_tokenizer(const JsonObject& file, const JsonObject& settings,
                                      std::optional<int> vocab);

}  // namespace outrider::model
