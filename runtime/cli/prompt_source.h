#pragma once

#include <string>
#include <vector>

#include "runtime/cli/decode_options.h"
#include "runtime/records/prompt_file.h"

namespace outrider {

/// The prompts that come with the programs.
inline constexpr const char* kShippedPrompts = "configs/prompts/demo.jsonl";

/// The file to open for `--prompts`: those that come with the programs are found from any folder.
std::string prompt_file(const std::string& prompts);

/// What `--prompt`, `--prompt-file` or `--prompts` ask for; nothing when none is given. A line end
/// that closes standard input or a prompt file does not belong to the prompt.
/// @throws InputError for what cannot be read, is empty or not UTF-8
std::vector<text::PromptRecord> read_prompts(const DecodeOptions& options);

}  // namespace outrider
