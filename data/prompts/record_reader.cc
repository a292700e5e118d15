#include "data/prompts/record_reader.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "runtime/base/error.h"

namespace outrider::data {

using text::JsonRecord;
using text::PromptRecord;
using text::RecordLocation;

std::string id_under(const JsonRecord& record, const std::vector<const char*>& keys,
                     const RecordLocation& location) {
  for (const char* key : keys) {
    const auto found = record.find(key);
    if (found == record.end() || found->is_null()) continue;
    if (found->is_string()) return found->get<std::string>();
    if (found->is_number_integer()) return found->dump();
    location.fail(
        fmt::format("\"{}\" is {}, expected a string or a whole number", key, found->type_name()));
  }
  return {};
}

std::vector<PromptRecord> gather_records(
    std::string_view text, const std::string& name,
    const std::function<PromptRecord(const JsonRecord&, const RecordLocation&)>& read) {
  std::vector<PromptRecord> records;
  std::unordered_map<std::string, std::size_t> number_of_id;
  text::for_each_record(text, name, [&](const JsonRecord& record, const RecordLocation& location) {
    text::require_object(record, location);
    PromptRecord prompt = read(record, location);
    prompt.where = location.text();
    if (prompt.id.empty()) prompt.id = location.id();
    const auto [other, is_new] = number_of_id.emplace(prompt.id, location.number());
    if (!is_new)
      location.fail(
          fmt::format("the id \"{}\" is already used in number {}", prompt.id, other->second));
    records.push_back(std::move(prompt));
  });
  if (records.empty())
    throw InputError(fmt::format("{}: no prompts in it, expected one JSON object a line", name));
  return records;
}

}  // namespace outrider::data
