#pragma once

#include <filesystem>

#include "runtime/model/model.h"

namespace outrider::model {

/// Opens a Hugging Face folder: config.json, safetensors, tokenizer.json, tokenizer_config.json,
/// chat_template.jinja and, for its end tokens only, generation_config.json.
/// @throws InputError naming the file and the part that is missing, contradictory or not supported
Model load_hf_folder(const std::filesystem::path& folder);

/// Its tokenizer alone, with as many tokens as its config.json says, if it has one.
text::TokenizerSpec load_hf_tokenizer(const std::filesystem::path& folder);

}  // namespace outrider::model
