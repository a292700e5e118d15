#pragma once

#include <optional>

#include "runtime/model/gguf/gguf_file.h"
#include "runtime/model/model.h"
#include "runtime/model/own_sampling.h"

namespace outrider::model {

/// Interprets the container's keys and tensors. The weights point into its bytes.
/// @throws InputError naming what is missing, unknown or contradictory
Model load_gguf(const GgufFile& file);

/// The shape, from `<architecture>.*`. Every key with that prefix must be known: an unknown one may
/// change the computation.
ModelConfig read_gguf_config(const GgufFile& file);

/// The tokenizer, from `tokenizer.*`, likewise.
text::TokenizerSpec read_gguf_tokenizer(const GgufFile& file);

/// How tokens are chosen, from `general.sampling.*`; nothing where there is none of these.
std::optional<OwnSampling> gguf_own_sampling(const GgufFile& file);

}  // namespace outrider::model
