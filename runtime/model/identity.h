#pragma once

#include <string>

#include "runtime/model/model.h"

namespace outrider::model {

/// What stands for a model wherever results are kept that were made with it: the hash of its file,
/// which is read once for it.
/// @param model  loaded from a file
std::string model_hash(const Model& model);

/// Two tokenizers of one hash make the same tokens of every text and end texts alike.
std::string tokenizer_hash(const text::TokenizerSpec& spec);

}  // namespace outrider::model
