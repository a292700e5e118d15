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

std::vector<std::string> texts_under(const JsonRecord& record, const char* key,
                                     const RecordLocation& location) {
  std::vector<std::string> texts;
  const auto found = record.find(key);
  if (found == record.end() || found->is_null()) return texts;
  if (!found->is_array())
    location.fail(fmt::format("\"{}\" is {}, expected a list of strings", key, found->type_name()));
  for (const JsonRecord& element : *found) {
    if (!element.is_string())
      location.fail(fmt::format("\"{}\" has {}, expected strings", key, element.type_name()));
    texts.push_back(element.get<std::string>());
  }
  return texts;
}

text::PromptRecord read_question(const JsonRecord& record, const RecordLocation& location) {
  text::PromptRecord prompt;
  prompt.id = id_under(record, {"question_id"}, location);
  prompt.task = text::optional_text(record, "category", location);
  TurnGatherer gatherer(prompt, location);
  for (std::string& turn : texts_under(record, "turns", location))
    gatherer.add(TurnGatherer::Role::kUser, std::move(turn));
  gatherer.finish();
  prompt.answers = texts_under(record, "reference", location);
  if (prompt.answers.size() > prompt.turns.size()) prompt.answers.resize(prompt.turns.size());
  return prompt;
}

}  // namespace

std::vector<text::PromptRecord> parse_spec_bench(std::string_view text, const std::string& name) {
  return gather_records(text, name, read_question);
}

}  // namespace outrider::data
