#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/answers/answer.h"
#include "runtime/inference/generation.h"

namespace outrider::calibrate {

/// The answer of a text that was generated here. @param options  of its generation
Answer answer_of(const inference::GeneratedText& text, const inference::GenerationOptions& options);

/// Reads the answers of records that `runtime decode --json` wrote: of each "id", "task",
/// "prompt_tokens", "output_tokens" and, where it is there, "turn" and "sample"; of its "settings"
/// "max_new", "context" and, where they are there, those of the sampler. Each is taken for an answer to
/// the first turn of a conversation, whose context is no larger than it has to be.
/// @param vocab    of the model
/// @param context  tokens that it can hold
/// @throws InputError naming file and line of the first record that is not as above, or is of another
///         model
std::vector<Answer> read_decoded_answers(const std::filesystem::path& path, int vocab, int context);

/// The same from text. @param name  stands for the file in messages
std::vector<Answer> parse_decoded_answers(std::string_view text, const std::string& name, int vocab,
                                          int context);

}  // namespace outrider::calibrate
