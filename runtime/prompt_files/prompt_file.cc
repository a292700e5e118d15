#include "runtime/prompt_files/prompt_file.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "runtime/base/error.h"
#include "runtime/base/text_file.h"
#include "runtime/prompt_files/json_records.h"
#include "runtime/prompt_files/turn_gatherer.h"

namespace outrider::text {
namespace {

PromptRecord read_record(const JsonRecord& record, const RecordLocation& line) {
  require_object(record, line);
  PromptRecord prompt;
  prompt.id = optional_text(record, "id", line);
  prompt.task = optional_text(record, "task", line);
  prompt.source = optional_text(record, "source", line);
  prompt.reference = optional_text(record, "reference", line);
  const auto turns = record.find("turns");
  if (turns == record.end() && record.contains("messages")) {
    read_messages(record, prompt, line);
    const bool answered = prompt.answers.size() == prompt.turns.size();
    if (prompt.reference.empty() && answered) prompt.reference = prompt.answers.back();
    return prompt;
  }
  if (turns == record.end()) line.fail("\"turns\" is missing: expected a list of user messages");
  if (!turns->is_array() || turns->empty())
    line.fail("\"turns\": expected a list of at least one user message");
  for (const JsonRecord& turn : *turns) {
    if (!turn.is_string())
      line.fail(fmt::format("a turn is {}, expected a string", turn.type_name()));
    prompt.turns.push_back(turn.get<std::string>());
    if (prompt.turns.back().empty())
      line.fail(fmt::format("turn {} is empty", prompt.turns.size()));
  }
  return prompt;
}

}  // namespace

std::vector<Message> asked_in(const PromptRecord& record, std::size_t turn) {
  std::vector<Message> asked = {{"user", record.turns[turn]}};
  if (turn < record.tool_steps.size())
    asked.insert(asked.end(), record.tool_steps[turn].begin(), record.tool_steps[turn].end());
  return asked;
}

void keep_turns(PromptRecord& record, std::size_t turns) {
  if (record.turns.size() <= turns) return;
  record.turns.resize(turns);
  record.reference.clear();  // answers the last turn
  if (record.answers.size() > turns) record.answers.resize(turns);
  if (record.tool_steps.size() > turns) record.tool_steps.resize(turns);
}

std::vector<PromptRecord> parse_prompts(std::string_view text, const std::string& name) {
  std::vector<PromptRecord> prompts;
  std::unordered_map<std::string, std::size_t> line_of_id;
  for_each_line(text, name, [&](const JsonRecord& record, const RecordLocation& line) {
    PromptRecord prompt = read_record(record, line);
    if (prompt.id.empty()) prompt.id = line.id();
    prompt.where = line.text();
    const auto [other, is_new] = line_of_id.emplace(prompt.id, line.number());
    if (!is_new)
      line.fail(fmt::format("the id \"{}\" is also that of line {}", prompt.id, other->second));
    prompts.push_back(std::move(prompt));
  });
  if (prompts.empty())
    throw InputError(fmt::format("{}: no prompts in it, expected one JSON object a line", name));
  return prompts;
}

std::vector<PromptRecord> read_prompts(const std::filesystem::path& path) {
  return parse_prompts(read_text_file(path, kMostPromptBytes), input_name(path));
}

}  // namespace outrider::text
