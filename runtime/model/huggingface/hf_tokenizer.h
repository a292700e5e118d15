#pragma once

#include <optional>

#include "runtime/model/json_object.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::model {

/// The tokenizer of a Hugging Face folder.
/// @param file      tokenizer.json
/// @param settings  tokenizer_config.json, for the chat template
/// @param vocab     rows of the embedding, or nothing: as many as there are ids; those that no token
///                  has are filled up with unused ones
/// @throws InputError naming the part that is missing, contradictory, or of a kind that we do not have
text::TokenizerSpec read_hf_tokenizer(const JsonObject& file, const JsonObject& settings,
                                      std::optional<int> vocab);

}  // namespace outrider::model
