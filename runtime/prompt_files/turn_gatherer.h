#pragma once

#include <string>

#include "runtime/prompt_files/json_records.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::text {

/// Collects the messages of a conversation into turns and their answers. Answers before the first
/// message of the user, and all but the first to one message, are left out. What tools were called
/// and what they said belongs to the turn, and its answer comes after it.
class TurnGatherer {
 public:
  TurnGatherer(PromptRecord& record, const RecordLocation& location)
      : record_(record), location_(location) {}

  enum class Role { kSystem, kUser, kAssistant };
  void add(Role role, std::string content);
  /// A call of tools by the assistant, or what a tool said.
  void add_tool_step(Message message);
  /// @throws InputError when there is no message of the user
  void finish();

 private:
  void end_turn();

  PromptRecord& record_;
  const RecordLocation& location_;
};

/// Reads "messages" of role and content, and "tools", as transformers' `apply_chat_template` takes
/// them. A content is a text, or a list of parts that are texts.
/// @throws InputError for another role or kind of content
void read_messages(const JsonRecord& request, PromptRecord& record, const RecordLocation& location);

/// The record's conversation as such "messages": the inverse of `read_messages`.
nlohmann::ordered_json messages_of(const PromptRecord& record);

}  // namespace outrider::text
