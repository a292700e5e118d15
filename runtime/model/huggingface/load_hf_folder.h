#pragma once

#include <filesystem>
#include <optional>

#include "runtime/model/model.h"
#include "runtime/model/own_sampling.h"

namespace outrider::model {

/// Opens a Hugging Face folder: config.json, safetensors, tokenizer.json, tokenizer_config.json,
/// chat_template.jinja and, for its end tokens only, generation_config.json.
/// @throws InputError naming the file and the part that is missing, contradictory or not supported
Model load_hf_folder(const std::filesystem::path& folder);

/// Its tokenizer alone, with as many tokens as its config.json says, if it has one.
text::TokenizerSpec load_hf_tokenizer(const std::filesystem::path& folder);

/// How tokens are chosen, from its generation_config.json; nothing where `do_sample` is not true there.
std::optional<OwnSampling> hf_own_sampling(const std::filesystem::path& folder);

}  // namespace outrider::model
