#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "data/prompts/prompt_formats.h"
#include "data/prompts/record_reader.h"

namespace outrider::data {
namespace {

using nlohmann::json;
using text::RecordLocation;

TurnGatherer::Role openai_role(const std::string& role, const RecordLocation& location) {
  using Role = TurnGatherer::Role;
  if (role == "user") return Role::kUser;
  if (role == "assistant") return Role::kAssistant;
  if (role == "system" || role == "developer") return Role::kSystem;
  location.fail(
      fmt::format("a message with role \"{}\", expected system, user or assistant", role));
}

/// The content: a text, or a list of parts that are texts.
std::string content_of(const json& message, const RecordLocation& location) {
  const auto content = message.find("content");
  if (content == message.end() || !content->is_array())
    return text::optional_text(message, "content", location);
  std::string text;
  for (const json& part : *content) {
    text::require_object(part, location);
    const std::string type = text::optional_text(part, "type", location);
    if (type != "text")
      location.fail(fmt::format("a part of type \"{}\", expected only text", type));
    text += text::optional_text(part, "text", location);
  }
  return text;
}

text::PromptRecord read_chat(const json& record, const RecordLocation& location) {
  text::PromptRecord prompt;
  prompt.id = id_under(record, {"id", "custom_id"}, location);
  // A line of a batch file holds the request in "body".
  const auto body = record.find("body");
  const json& request = body != record.end() && body->is_object() ? *body : record;
  const auto messages = request.find("messages");
  if (messages == request.end() || !messages->is_array())
    location.fail("\"messages\": expected a list of messages");
  TurnGatherer gatherer(prompt, location);
  for (const json& message : *messages) {
    text::require_object(message, location);
    gatherer.add(openai_role(text::optional_text(message, "role", location), location),
                 content_of(message, location));
  }
  gatherer.finish();
  return prompt;
}

}  // namespace

std::vector<text::PromptRecord> parse_openai(std::string_view text, const std::string& name) {
  return gather_records(text, name, read_chat);
}

}  // namespace outrider::data
