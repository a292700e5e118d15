#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/records/prompt_file.h"

namespace outrider::data {

/// jsonl (runtime/records/prompt_file.h), spec-bench, sharegpt, openai, text.
std::vector<std::string> prompt_format_names();
/// What each is, for the help.
std::string prompt_format_help();

/// The records of all files, in order; a record without an id is named by its file and its line or
/// number.
/// @throws InputError naming file and line of what is not of the format, or has another's id
std::vector<text::PromptRecord> read_prompt_files(std::string_view format,
                                                  const std::vector<std::string>& files);

// The readers: the text of a file, and its name.

/// {"question_id", "category", "turns", "reference"} a line, as Spec-Bench and MT-bench have them.
std::vector<text::PromptRecord> parse_spec_bench(std::string_view text, const std::string& name);
/// {"id", "conversations": [{"from", "value"}]}, a list of them or one a line.
std::vector<text::PromptRecord> parse_sharegpt(std::string_view text, const std::string& name);
/// {"messages": [{"role", "content"}]}, a list of them or one a line; also the lines of batch files.
std::vector<text::PromptRecord> parse_openai(std::string_view text, const std::string& name);
/// The whole file is one prompt; a line end that closes it does not belong to it.
std::vector<text::PromptRecord> parse_text(std::string_view text, const std::string& name);

}  // namespace outrider::data
