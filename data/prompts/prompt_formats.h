#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/prompt_files/prompt_file.h"

namespace outrider::data {

/// jsonl (runtime/prompt_files/prompt_file.h), spec-bench, sharegpt, openai, text.
std::vector<std::string> prompt_format_names();
/// A description of each, for the help.
std::string prompt_format_help();

/// The records of all files, in order; a record without an id is named after its file and its line
/// or number.
/// @throws InputError naming file and line of a record that does not fit the format, or has a
///         duplicate id
std::vector<text::PromptRecord> read_prompt_files(std::string_view format,
                                                  const std::vector<std::string>& files);

// The readers: the text of a file, and its name.

/// {"question_id", "category", "turns", "reference"} per line, as in Spec-Bench and MT-bench. The
/// first reference answers the first turn, and so on; references beyond the turns are left out.
std::vector<text::PromptRecord> parse_spec_bench(std::string_view text, const std::string& name);
/// {"id", "conversations": [{"from", "value"}]}, a list of them or one per line.
std::vector<text::PromptRecord> parse_sharegpt(std::string_view text, const std::string& name);
/// {"messages": [{"role", "content"}], "tools"}, a list of them or one per line; also the lines of
/// batch files.
std::vector<text::PromptRecord> parse_openai(std::string_view text, const std::string& name);
/// The whole file is one prompt, without the line end at its end.
std::vector<text::PromptRecord> parse_text(std::string_view text, const std::string& name);

}  // namespace outrider::data
