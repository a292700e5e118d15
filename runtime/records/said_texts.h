#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::text {

/// What was decoded before, and what decoding was allowed, of a record that `runtime decode --json` wrote.
struct SaidText {
  std::string id;
  std::string task;
  std::vector<Token> prompt;  // at least one
  std::vector<Token> output;
  int max_new = 0;
  int context = 0;  // tokens, of the model's
};

/// Reads such records: of each "id", "task", "prompt_tokens", "output_tokens", and "max_new" and
/// "context" of its "settings".
/// @param vocab    of the model
/// @param context  tokens that it can hold
/// @throws InputError naming file and line of the first record that is not as above, or is of another
///         model
std::vector<SaidText> read_said_texts(const std::filesystem::path& path, int vocab, int context);

/// The same from text. @param name  stands for the file in messages
std::vector<SaidText> parse_said_texts(std::string_view text, const std::string& name, int vocab,
                                       int context);

}  // namespace outrider::text
