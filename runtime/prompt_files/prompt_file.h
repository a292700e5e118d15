#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/chat/chat.h"

namespace outrider::text {

/// One line of a prompts file: {"id", "task", "source", "turns": [user messages], "reference"}. Only
/// the turns are required; in place of them it may have "messages", with "tools" (turn_gatherer.h).
struct PromptRecord {
  std::string id;  // "demo line 3" if demo.jsonl has none
  std::string task;
  std::string source;
  std::vector<std::string> turns;  // at least one, none empty
  std::string reference;           // an answer to the last turn, if given

  // What conversations in other formats can have besides:
  std::optional<std::string> system;
  std::vector<std::string> answers;              // by turn; empty: none
  std::vector<std::vector<Message>> tool_steps;  // by turn: calls of tools and what these said
  std::string tools;                             // a JSON list of those there are; empty: none

  std::string where;  // "demo.jsonl, line 3", for messages; empty: not of a file
};

/// What a turn asks: the user's message, and the calls of tools before the answer.
/// @param turn  from 0
std::vector<Message> asked_in(const PromptRecord& record, std::size_t turn);

/// Leaves only the first turns.
void keep_turns(PromptRecord& record, std::size_t turns);

/// All records of a prompts file (JSON lines; empty lines are skipped); "-" is standard input.
/// @throws InputError naming file and line of the first record that is not as above, not UTF-8,
///         nested deeper than a record can be, or has the id of another
std::vector<PromptRecord> read_prompts(const std::filesystem::path& path);

/// The records of a prompts file that was read already.
/// @param name  of the file
std::vector<PromptRecord> parse_prompts(std::string_view text, const std::string& name);

}  // namespace outrider::text
