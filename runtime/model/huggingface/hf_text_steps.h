#pragma once

#include "runtime/model/json_object.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::model {

/// Reads normalizer, pre_tokenizer and decoder of tokenizer.json. The decoder determines the kind of
/// model: byte-level or of characters.
/// @return whether tokens stored as <0x0A> are bytes
/// @throws InputError naming the part that is not supported
bool read_hf_text_steps(const JsonObject& file, text::TokenizerSpec& spec);

}  // namespace outrider::model
