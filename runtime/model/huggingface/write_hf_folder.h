#pragma once

#include <filesystem>

#include "runtime/model/model.h"

namespace outrider::model {

/// Writes a Llama without biases as a Hugging Face folder: config.json, model.safetensors (F32) and, where
/// the target is such a folder, its tokenizer's files.
/// @param model   with a head for every token
/// @param folder  is made; files in it are replaced
/// @throws InputError for rotary frequencies with divisors, and with the system's reason
void write_hf_folder(const Model& model, const Model& target, const std::filesystem::path& folder);

}  // namespace outrider::model
