#pragma once

#include "runtime/base/output_file.h"
#include "runtime/model/model.h"

namespace outrider::model {

/// Writes a Llama without biases as a GGUF file (version 3).
/// @param model      with a head for every token
/// @param tokenizer  a model of a GGUF file, whose tokenizer keys are copied
/// @param as_floats  all weights as F32; else in the types that they have
/// @throws InputError if `tokenizer` is no GGUF file, and with the system's reason
void write_gguf(const Model& model, const Model& tokenizer, bool as_floats, OutputFile& out);

}  // namespace outrider::model
