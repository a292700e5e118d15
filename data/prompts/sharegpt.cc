#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "data/prompts/prompt_formats.h"
#include "data/prompts/record_reader.h"
#include "runtime/prompt_files/turn_gatherer.h"

namespace outrider::data {
namespace {

using text::JsonRecord;
using text::RecordLocation;
using text::TurnGatherer;

TurnGatherer::Role sharegpt_role(const std::string& from, const RecordLocation& location) {
  using Role = TurnGatherer::Role;
  if (from == "human" || from == "user") return Role::kUser;
  if (from == "system") return Role::kSystem;
  for (const char* name : {"gpt", "chatgpt", "assistant", "bing", "bard"}) {
    if (from == name) return Role::kAssistant;
  }
  location.fail(fmt::format("a message from \"{}\", expected human, gpt or system", from));
}

text::PromptRecord read_conversation(const JsonRecord& record, const RecordLocation& location) {
  text::PromptRecord prompt;
  prompt.id = id_under(record, {"id"}, location);
  const auto messages = record.find("conversations");
  if (messages == record.end() || !messages->is_array())
    location.fail("\"conversations\": expected a list of messages");
  TurnGatherer gatherer(prompt, location);
  for (const JsonRecord& message : *messages) {
    text::require_object(message, location);
    gatherer.add(sharegpt_role(text::optional_text(message, "from", location), location),
                 text::optional_text(message, "value", location));
  }
  gatherer.finish();
  return prompt;
}

}  // namespace

std::vector<text::PromptRecord> parse_sharegpt(std::string_view text, const std::string& name) {
  return gather_records(text, name, read_conversation);
}

}  // namespace outrider::data
