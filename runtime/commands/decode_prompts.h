#pragma once

#include <vector>

#include "runtime/commands/decode_run.h"
#include "runtime/inference/target.h"
#include "runtime/records/prompt_file.h"

namespace outrider {

/// Decodes every sample of every prompt, turn by turn. Checks all prompts against the context
/// before decoding the first and before touching the file of `--json`.
/// @throws InputError naming the prompt that does not fit; CheckFailed; Interrupted
void decode_prompts(inference::Target& target, const DecodeRun& run,
                    std::vector<text::PromptRecord> prompts);

}  // namespace outrider
