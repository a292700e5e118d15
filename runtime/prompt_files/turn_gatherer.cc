#include "runtime/prompt_files/turn_gatherer.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"

namespace outrider::text {
namespace {

/// The content: a text, or a list of parts that are texts.
std::string content_of(const JsonRecord& message, const RecordLocation& location) {
  const auto content = message.find("content");
  if (content == message.end() || !content->is_array())
    return optional_text(message, "content", location);
  std::string text;
  for (const JsonRecord& part : *content) {
    require_object(part, location);
    const std::string type = optional_text(part, "type", location);
    if (type != "text")
      location.fail(fmt::format("a part of type \"{}\", expected only text", type));
    text += optional_text(part, "text", location);
  }
  return text;
}

bool calls_tools(const JsonRecord& message, const RecordLocation& location) {
  const auto calls = message.find("tool_calls");
  if (calls == message.end() || calls->is_null()) return false;
  if (!calls->is_array())
    location.fail(fmt::format("\"tool_calls\" is {}, expected a list", calls->type_name()));
  return !calls->empty();
}

/// A message with all of its keys, as transformers normalises it: keys without a value are left out, and
/// the words of thinking stand under the names that templates know.
Message whole_message(const JsonRecord& given, const std::string& role, std::string content) {
  JsonRecord message = JsonRecord::object();
  JsonRecord thoughts;
  for (const char* name : {"reasoning_content", "thinking", "reasoning"})
    if (thoughts.is_null() && given.contains(name)) thoughts = given[name];
  if (!thoughts.is_null()) message["thinking"] = thoughts;
  for (const auto& [key, value] : given.items())
    if (!value.is_null()) message[key] = value;
  if (!thoughts.is_null()) message["reasoning_content"] = thoughts;
  if (message.contains("content")) message["content"] = content;  // also of a list of parts
  return {role, std::move(content), json_text(message)};
}

void add_message(const JsonRecord& message, TurnGatherer& turns, const RecordLocation& location) {
  using Role = TurnGatherer::Role;
  require_object(message, location);
  const std::string role = optional_text(message, "role", location);
  std::string content = content_of(message, location);
  if (role == "user") return turns.add(Role::kUser, std::move(content));
  if (role == "system" || role == "developer") return turns.add(Role::kSystem, std::move(content));
  const bool is_tool = role == "tool" || role == "function";
  if (!is_tool && role != "assistant")
    location.fail(
        fmt::format("a message with role \"{}\", expected system, user, assistant or tool", role));
  if (is_tool || calls_tools(message, location))
    return turns.add_tool_step(whole_message(message, role, std::move(content)));
  if (!content.empty()) turns.add(Role::kAssistant, std::move(content));
}

}  // namespace

void TurnGatherer::add(Role role, std::string content) {
  std::vector<std::string>& turns = record_.turns;
  switch (role) {
    case Role::kSystem:
      if (!turns.empty()) location_.fail("a system message after the first message of the user");
      record_.system = std::move(content);
      return;
    case Role::kUser:
      end_turn();
      turns.push_back(std::move(content));
      if (turns.back().empty()) location_.fail(fmt::format("turn {} is empty", turns.size()));
      return;
    case Role::kAssistant:
      if (turns.empty() || record_.answers.size() == turns.size()) return;
      record_.answers.resize(turns.size());
      record_.answers.back() = std::move(content);
      return;
  }
}

void TurnGatherer::add_tool_step(Message message) {
  const std::size_t turns = record_.turns.size();
  if (turns == 0) location_.fail("a tool before the first message of the user");
  record_.tool_steps.resize(turns);
  std::vector<Message>& steps = record_.tool_steps.back();
  if (record_.answers.size() == turns) {  // said before a tool, so not the turn's answer
    steps.push_back({"assistant", std::move(record_.answers.back())});
    record_.answers.pop_back();
  }
  steps.push_back(std::move(message));
}

/// A call that no tool answered is not given: the model goes on from what came before.
void TurnGatherer::end_turn() {
  if (record_.turns.empty() || record_.tool_steps.size() != record_.turns.size()) return;
  std::vector<Message>& steps = record_.tool_steps.back();
  while (!steps.empty() && steps.back().role == "assistant") steps.pop_back();
  if (steps.empty()) record_.tool_steps.pop_back();
}

void TurnGatherer::finish() {
  end_turn();
  if (record_.turns.empty()) location_.fail("no message of the user, expected at least one");
}

void read_messages(const JsonRecord& request, PromptRecord& record,
                   const RecordLocation& location) {
  const auto messages = request.find("messages");
  if (messages == request.end() || !messages->is_array())
    location.fail("\"messages\": expected a list of messages");
  TurnGatherer turns(record, location);
  for (const JsonRecord& message : *messages) add_message(message, turns, location);
  turns.finish();
  const auto tools = request.find("tools");
  if (tools == request.end() || tools->is_null()) return;
  if (!tools->is_array())
    location.fail(fmt::format("\"tools\" is {}, expected a list", tools->type_name()));
  if (!tools->empty()) record.tools = json_text(*tools);
}

nlohmann::ordered_json messages_of(const PromptRecord& record) {
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  const auto add = [&](const std::string& role, const std::string& content) {
    messages.push_back({{"role", role}, {"content", content}});
  };
  if (record.system) add("system", *record.system);
  for (std::size_t turn = 0; turn < record.turns.size(); ++turn) {
    for (const Message& message : asked_in(record, turn)) {
      if (message.json.empty())
        add(message.role, message.content);
      else
        messages.push_back(nlohmann::ordered_json::parse(message.json));
    }
    if (turn < record.answers.size() && !record.answers[turn].empty())
      add("assistant", record.answers[turn]);
  }
  return messages;
}

}  // namespace outrider::text
