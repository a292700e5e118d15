#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "data/prompts/prompt_formats.h"
#include "data/prompts/record_reader.h"

namespace outrider::data {
namespace {

using nlohmann::json;
using text::RecordPlace;

TurnGatherer::Role sharegpt_role(const std::string& from, const RecordPlace& place) {
  using Role = TurnGatherer::Role;
  if (from == "human" || from == "user") return Role::kUser;
  if (from == "system") return Role::kSystem;
  for (const char* name : {"gpt", "chatgpt", "assistant", "bing", "bard"}) {
    if (from == name) return Role::kAssistant;
  }
  place.fail(fmt::format("a message from \"{}\", expected human, gpt or system", from));
}

text::PromptRecord read_conversation(const json& record, const RecordPlace& place) {
  text::PromptRecord prompt;
  prompt.id = id_under(record, {"id"}, place);
  const auto messages = record.find("conversations");
  if (messages == record.end() || !messages->is_array())
    place.fail("\"conversations\": expected a list of messages");
  TurnGatherer gatherer(prompt, place);
  for (const json& message : *messages) {
    text::require_object(message, place);
    gatherer.add(sharegpt_role(text::optional_text(message, "from", place), place),
                 text::optional_text(message, "value", place));
  }
  gatherer.finish();
  return prompt;
}

}  // namespace

std::vector<text::PromptRecord> parse_sharegpt(std::string_view text, const std::string& name) {
  return gather_records(text, name, read_conversation);
}

}  // namespace outrider::data
