#include <nlohmann/json.hpp>

#include "data/prompts/prompt_formats.h"
#include "data/prompts/record_reader.h"
#include "runtime/prompt_files/turn_gatherer.h"

namespace outrider::data {
namespace {

text::PromptRecord read_chat(const text::JsonRecord& record, const text::RecordLocation& location) {
  text::PromptRecord prompt;
  prompt.id = id_under(record, {"id", "custom_id"}, location);
  // A line of a batch file holds the request in "body".
  const auto body = record.find("body");
  text::read_messages(body != record.end() && body->is_object() ? *body : record, prompt, location);
  return prompt;
}

}  // namespace

std::vector<text::PromptRecord> parse_openai(std::string_view text, const std::string& name) {
  return gather_records(text, name, read_chat);
}

}  // namespace outrider::data
