#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/prompt_files/prompt_file.h"

namespace outrider::cli {

class CommandOptions;

/// The prompts shipped with the programs.
inline constexpr const char* kShippedPrompts = "configs/prompts/demo.jsonl";

/// The prompts to decode, from flags; at most one of the first three is given.
struct PromptFlags {
  std::optional<std::string> prompt;  // "-": standard input
  std::string prompt_file;            // one text; "-": the same
  std::string prompts;                // JSON lines; "-": the same
  int limit = 0;                      // records of `prompts`; 0: all
  std::string turns = "first";        // of each record: first or all
  int samples = 1;
  bool skip_refused = false;

  bool all_turns() const { return turns == "all" && !prompts.empty(); }
};

/// --prompt, --prompt-file, --prompts, --limit, --skip-refused, --turns, --samples
void declare_prompt_flags(CommandOptions& command, PromptFlags& flags);
/// --prompts, --limit, --skip-refused of a command that decodes first turns
void declare_first_turns_flags(CommandOptions& command, PromptFlags& flags);
/// --skip-refused
void declare_skip_refused_flag(CommandOptions& command, bool& skip_refused);

/// A prompt on the command line overrides those of a config file.
/// @param given  the flags on the command line
/// @throws InputError for two prompts, and for flags that need --prompts
void resolve_prompt_flags(PromptFlags& flags, const std::set<std::string>& given);

/// The file to open for `--prompts`: the shipped ones are found from any folder.
std::string prompt_file(const std::string& prompts);

/// The prompts of `--prompt`, `--prompt-file` or `--prompts`; nothing when none is given. A line
/// end at the end of standard input or of a prompt file is not part of the prompt.
/// @throws InputError for a file that cannot be read, is empty or not UTF-8
std::vector<text::PromptRecord> read_prompts(const PromptFlags& flags);

}  // namespace outrider::cli
