#pragma once

#include "runtime/model/gguf/gguf_file.h"
#include "runtime/model/model.h"

namespace outrider::model {

/// Gives the container's keys and tensors their meaning. The weights point into its bytes.
/// @throws InputError naming what is missing, unknown to us, or does not fit the rest
Model load_gguf(const GgufFile& file);

/// The shape, from `<architecture>.*`. Every key of that prefix must be known: an unknown one may
/// change what the model computes.
ModelConfig read_gguf_config(const GgufFile& file);

/// The tokenizer, from `tokenizer.*`, likewise.
text::TokenizerSpec read_gguf_tokenizer(const GgufFile& file);

}  // namespace outrider::model
