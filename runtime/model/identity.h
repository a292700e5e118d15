#pragma once

#include <string>

#include "runtime/model/model.h"

namespace outrider::model {

/// Identifies the model in stored results: the hash of its file, which is read once for it.
/// @param model  loaded from a file
std::string model_hash(const Model& model);

/// Tokenizers with equal hashes encode every text to the same tokens and have the same end tokens.
std::string tokenizer_hash(const text::TokenizerSpec& spec);

}  // namespace outrider::model
