#pragma once

#include <vector>

#include "runtime/inference/target.h"
#include "runtime/records/prompt_file.h"

namespace outrider::inference {

/// The most tokens that the conversation of a prompt can reach: the required size of its KV cache.
/// @param max_new  tokens of an answer
int context_needed(const Target& target, const text::PromptRecord& prompt, int max_new);

/// Whether the chat template refuses the prompt's first turn.
bool is_refused(const Target& target, const text::PromptRecord& prompt);

/// Whether the first turn leaves room for an answer.
bool fits_context(const Target& target, const text::PromptRecord& prompt);

/// @param tokens  of its first turn
/// @throws InputError naming the prompt that encodes to no token
void check_not_empty(const text::PromptRecord& prompt, const std::vector<Token>& tokens);

/// @throws InputError naming the prompt that leaves none, or that encodes to no token
void check_fits(const Target& target, const text::PromptRecord& prompt);

}  // namespace outrider::inference
