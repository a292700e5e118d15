#pragma once

#include "runtime/inference/decode_target.h"
#include "runtime/records/prompt_file.h"

namespace outrider {

/// The most tokens that the conversation of a prompt can reach: what its KV cache has to hold.
int context_needed(const DecodeTarget& target, const DecodeOptions& options,
                   const text::PromptRecord& prompt);

/// Whether the first turn leaves room for an answer.
bool fits_context(const DecodeTarget& target, const DecodeOptions& options,
                  const text::PromptRecord& prompt);

/// @throws InputError naming the prompt that does not
void check_fits(const DecodeTarget& target, const DecodeOptions& options,
                const text::PromptRecord& prompt);

}  // namespace outrider
