#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/answers/answer.h"
#include "runtime/inference/generation.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::calibrate {

/// The answer of a generated text. @param options  of its generation
Answer answer_of(const inference::GeneratedText& text, const inference::GenerationOptions& options);

/// The answers that the first turns of prompts will have, without their tokens: what decoding them depends on.
std::vector<Answer> answers_to(const std::vector<text::PromptRecord>& prompts,
                               const inference::Target& target,
                               const inference::GenerationOptions& options);

/// Reads the answers in records written by `runtime decode --json` (inference::parse_decode_records).
/// Each is treated as an answer to the first turn of a conversation with a context no larger than
/// needed.
/// @param vocab    of the model
/// @param context  tokens that it can hold
/// @throws InputError naming file and line of the first record that differs from this, or is of
///         another model
std::vector<Answer> read_decoded_answers(const std::filesystem::path& path, int vocab, int context);

/// The answers in a text. @param name  the file's name in messages
std::vector<Answer> parse_decoded_answers(std::string_view text, const std::string& name, int vocab,
                                          int context);

}  // namespace outrider::calibrate
