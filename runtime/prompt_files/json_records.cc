#include "runtime/prompt_files/json_records.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::text {
namespace {

constexpr int kMostDepth = 64;  // the schemas of tools are deep

JsonRecord parse_json(std::string_view text, const RecordLocation& location) {
  if (const auto offset = find_invalid_utf8(text))
    location.fail(fmt::format("byte {} is not UTF-8", *offset));
  const auto limit_depth = [&](int depth, JsonRecord::parse_event_t, JsonRecord&) {
    if (depth > kMostDepth) location.fail(fmt::format("nested deeper than {} levels", kMostDepth));
    return true;
  };
  try {
    return JsonRecord::parse(text, limit_depth);
  } catch (const JsonRecord::parse_error& error) {
    location.fail(fmt::format("not JSON, from byte {} on", error.byte));
  } catch (const JsonRecord::out_of_range&) {
    location.fail("a number that is too large");
  }
}

}  // namespace

RecordLocation::RecordLocation(const std::string& file, const char* unit, std::size_t number)
    : file_(file), here_(fmt::format("{} {}", unit, number)), number_(number) {}

std::string RecordLocation::id() const {
  return fmt::format("{} {}", std::filesystem::path(file_).stem().string(), here_);
}

std::string RecordLocation::text() const { return fmt::format("{}, {}", file_, here_); }

void RecordLocation::fail(const std::string& what) const {
  throw InputError(fmt::format("{}: {}", text(), what));
}

void for_each_line(std::string_view text, const std::string& file, const OnRecord& on_record) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view content = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!content.empty() && content.back() == '\r') content.remove_suffix(1);
    if (content.find_first_not_of(" \t") == std::string_view::npos) continue;
    const RecordLocation location(file, "line", number);
    on_record(parse_json(content, location), location);
  }
}

void for_each_record(std::string_view text, const std::string& file, const OnRecord& on_record) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '[')
    return for_each_line(text, file, on_record);
  const JsonRecord list = parse_json(text, RecordLocation(file, "line", 1));
  for (std::size_t i = 0; i < list.size(); ++i)
    on_record(list[i], RecordLocation(file, "record", i + 1));
}

void require_object(const JsonRecord& record, const RecordLocation& location) {
  if (!record.is_object())
    location.fail(fmt::format("found {}, expected an object", record.type_name()));
}

std::string optional_text(const JsonRecord& record, const char* key,
                          const RecordLocation& location) {
  const auto found = record.find(key);
  if (found == record.end() || found->is_null()) return {};
  if (!found->is_string())
    location.fail(fmt::format("\"{}\" is {}, expected a string", key, found->type_name()));
  return found->get<std::string>();
}

}  // namespace outrider::text
