#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/records/prompt_file.h"

namespace outrider::cli {

class CommandOptions;

/// The prompts that come with the programs.
inline constexpr const char* kShippedPrompts = "configs/prompts/demo.jsonl";

/// What to decode, as flags give it; one of the first three, or none.
struct PromptFlags {
  std::optional<std::string> prompt;  // "-": standard input
  std::string prompt_file;            // one text
  std::string prompts;                // JSON lines
  int limit = 0;                      // records of `prompts`; 0: all
  std::string turns = "first";        // of each record: first or all
  int samples = 1;

  bool all_turns() const { return turns == "all" && !prompts.empty(); }
};

/// --prompt, --prompt-file, --prompts, --limit, --turns, --samples
void declare_prompt_flags(CommandOptions& command, PromptFlags& flags);
/// --limit
void declare_limit_flag(CommandOptions& command, PromptFlags& flags);

/// A prompt on the command line goes before whatever a config file names.
/// @param given  the flags on the command line
/// @throws InputError for two prompts, and for flags that mean nothing without --prompts
void resolve_prompt_flags(PromptFlags& flags, const std::set<std::string>& given);

/// The file to open for `--prompts`: those that come with the programs are found from any folder.
std::string prompt_file(const std::string& prompts);

/// What `--prompt`, `--prompt-file` or `--prompts` ask for; nothing when none is given. A line end
/// that closes standard input or a prompt file does not belong to the prompt.
/// @throws InputError for what cannot be read, is empty or not UTF-8
std::vector<text::PromptRecord> read_prompts(const PromptFlags& flags);

/// @throws InputError naming a flag that was given and means nothing without another
void check_needed(const std::set<std::string>& given, const std::string& flag, bool has_needed,
                  const std::string& needed);

}  // namespace outrider::cli
