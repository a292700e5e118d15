#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/inference/target.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::inference {

/// The most tokens that the conversation of a prompt can reach: the required size of its KV cache.
/// @param max_new  tokens of an answer
int context_needed(const Target& target, const text::PromptRecord& prompt, int max_new);

/// The tokens before the answer to a prompt's first turn.
/// @throws InputError naming the prompt whose conversation the chat template does not take
std::vector<Token> first_turn(const Target& target, const text::PromptRecord& prompt);

/// "left out: 2 prompts that the chat template refuses"
std::string refused_line(std::int64_t refused);

/// Leaves out the prompts that the chat template refuses in any turn, and tells how many; what it cannot
/// do for another reason stays. @return how many
/// @throws InputError when none is left
std::int64_t leave_out_refused(const Target& target, std::vector<text::PromptRecord>& prompts);

/// Leaves out what is refused, where that is asked for, and checks the others.
/// @throws InputError as leave_out_refused and check_fits
void choose_prompts(const Target& target, bool skip_refused,
                    std::vector<text::PromptRecord>& prompts);

/// Whether the first turn leaves room for an answer.
bool fits_context(const Target& target, const text::PromptRecord& prompt);

/// @param tokens  of its first turn
/// @throws InputError naming the prompt that encodes to no token
void check_not_empty(const text::PromptRecord& prompt, const std::vector<Token>& tokens);

/// @throws InputError naming the prompt that leaves none, that encodes to no token, or of which the
///         chat template refuses a turn
void check_fits(const Target& target, const text::PromptRecord& prompt);

}  // namespace outrider::inference
