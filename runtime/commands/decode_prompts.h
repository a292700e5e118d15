#pragma once

#include <vector>

#include "runtime/commands/decode_run.h"
#include "runtime/inference/target.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider {

/// Decodes every sample of every prompt, turn by turn.
/// @param prompts  that fit: inference::choose_prompts
/// @throws InputError; CheckFailed; Interrupted
void decode_prompts(inference::Target& target, const DecodeRun& run,
                    const std::vector<text::PromptRecord>& prompts);

}  // namespace outrider
