#pragma once

#include "runtime/model/json_object.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::model {

/// What stands around the model in tokenizer.json: normalizer, pre_tokenizer and decoder. The decoder
/// tells which kind of model it is: byte-level or of characters.
/// @return whether decoding takes tokens stored as <0x0A> for bytes
/// @throws InputError naming the part that is of a kind that we do not have
bool read_hf_text_steps(const JsonObject& file, text::TokenizerSpec& spec);

}  // namespace outrider::model
