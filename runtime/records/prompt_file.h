#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::text {

/// One line of a prompts file: {"id", "task", "source", "turns": [user messages], "reference"}. Only
/// the turns are required.
struct PromptRecord {
  std::string id;  // "demo line 3" if demo.jsonl has none
  std::string task;
  std::string source;
  std::vector<std::string> turns;  // at least one, none empty
  std::string reference;           // an answer to the last turn, if given

  // What conversations in other formats can have besides:
  std::optional<std::string> system;
  std::vector<std::string> answers;  // by turn; empty: none
};

/// All records of a prompts file (JSON lines; empty lines are skipped); "-" is standard input.
/// @throws InputError naming file and line of the first record that is not as above, not UTF-8,
///         nested deeper than a record can be, or has the id of another
std::vector<PromptRecord> read_prompts(const std::filesystem::path& path);

/// The records of a prompts file that was read already.
/// @param name  of the file
std::vector<PromptRecord> parse_prompts(std::string_view text, const std::string& name);

}  // namespace outrider::text
