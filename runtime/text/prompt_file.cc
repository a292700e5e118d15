#include "runtime/text/prompt_file.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "runtime/base/error.h"
#include "runtime/base/text_file.h"
#include "runtime/text/utf8.h"

namespace outrider::text {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr int kMostDepth = 8;

/// Where a record stands, for messages.
class Line {
 public:
  Line(const std::string& file, std::size_t number)
      : place_(fmt::format("{}, line {}", file, number)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", place_, what));
  }

 private:
  std::string place_;
};

json parse_line(std::string_view text, const Line& line) {
  if (const auto offset = find_invalid_utf8(text))
    line.fail(fmt::format("byte {} is not UTF-8", *offset));
  const auto limit_depth = [&](int depth, json::parse_event_t, json&) {
    if (depth > kMostDepth) line.fail(fmt::format("nested deeper than {} levels", kMostDepth));
    return true;
  };
  try {
    return json::parse(text, limit_depth);
  } catch (const json::parse_error& error) {
    line.fail(fmt::format("not JSON, from byte {} on", error.byte));
  } catch (const json::out_of_range&) {
    line.fail("a number that is too large");
  }
}

std::string optional_text(const json& record, const char* key, const Line& line) {
  const auto found = record.find(key);
  if (found == record.end() || found->is_null()) return {};
  if (!found->is_string())
    line.fail(fmt::format("\"{}\" is {}, expected a string", key, found->type_name()));
  return found->get<std::string>();
}

PromptRecord read_record(const json& record, const Line& line) {
  if (!record.is_object())
    line.fail(fmt::format("found {}, expected an object", record.type_name()));
  PromptRecord prompt;
  prompt.id = optional_text(record, "id", line);
  prompt.task = optional_text(record, "task", line);
  prompt.source = optional_text(record, "source", line);
  prompt.reference = optional_text(record, "reference", line);
  const auto turns = record.find("turns");
  if (turns == record.end()) line.fail("\"turns\" is missing: expected a list of user messages");
  if (!turns->is_array() || turns->empty())
    line.fail("\"turns\": expected a list of at least one user message");
  for (const json& turn : *turns) {
    if (!turn.is_string())
      line.fail(fmt::format("a turn is {}, expected a string", turn.type_name()));
    prompt.turns.push_back(turn.get<std::string>());
    if (prompt.turns.back().empty())
      line.fail(fmt::format("turn {} is empty", prompt.turns.size()));
  }
  return prompt;
}

}  // namespace

std::vector<PromptRecord> parse_prompts(std::string_view text, const std::string& name) {
  std::vector<PromptRecord> prompts;
  std::unordered_map<std::string, std::size_t> line_of_id;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view content = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!content.empty() && content.back() == '\r') content.remove_suffix(1);
    if (content.find_first_not_of(" \t") == std::string_view::npos) continue;
    const Line line(name, number);
    PromptRecord prompt = read_record(parse_line(content, line), line);
    if (prompt.id.empty()) prompt.id = fmt::format("line {}", number);
    const auto [other, is_new] = line_of_id.emplace(prompt.id, number);
    if (!is_new)
      line.fail(fmt::format("the id \"{}\" stands in line {} already", prompt.id, other->second));
    prompts.push_back(std::move(prompt));
  }
  if (prompts.empty())
    throw InputError(fmt::format("{}: no prompts in it, expected one JSON object a line", name));
  return prompts;
}

std::vector<PromptRecord> read_prompts(const std::filesystem::path& path) {
  return parse_prompts(read_text_file(path, kMostBytes), path.string());
}

}  // namespace outrider::text
