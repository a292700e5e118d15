#include "data/prompts/prompt_formats.h"

#include <fmt/core.h>

#include <stdexcept>
#include <unordered_map>

#include "runtime/base/error.h"
#include "runtime/base/text_file.h"
#include "runtime/prompt_files/json_records.h"

namespace outrider::data {
namespace {

using text::PromptRecord;

/// Name, description and reader of a format: a new format is one more line here and its reader.
struct Format {
  const char* name;
  const char* summary;
  std::vector<PromptRecord> (*parse)(std::string_view text, const std::string& name);
};

constexpr Format kFormats[] = {
    {"jsonl", "a prompt a line, as runtime decode takes them", text::parse_prompts},
    {"spec-bench", "question_id, category, turns", parse_spec_bench},
    {"sharegpt", "conversations of from and value", parse_sharegpt},
    {"openai", "messages of role and content, and tools", parse_openai},
    {"text", "each file one prompt", parse_text},
};

const Format& find(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return format;
  }
  throw std::logic_error("read_prompt_files: no such format");
}

}  // namespace

std::vector<std::string> prompt_format_names() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::string prompt_format_help() {
  std::string help = "Format of the prompts";
  const char* separator = ": ";
  for (const Format& format : kFormats) {
    help += fmt::format("{}{} ({})", separator, format.name, format.summary);
    separator = ", ";
  }
  return help;
}

std::vector<PromptRecord> read_prompt_files(std::string_view format,
                                            const std::vector<std::string>& files) {
  const Format& chosen = find(format);
  std::vector<PromptRecord> all;
  std::unordered_map<std::string, const std::string*> file_of_id;
  for (const std::string& file : files) {
    for (PromptRecord& record :
         chosen.parse(read_text_file(file, text::kMostPromptBytes), input_name(file))) {
      const auto [other, is_new] = file_of_id.emplace(record.id, &file);
      if (!is_new) {
        throw InputError(fmt::format("{}: the id \"{}\" is already used in {}", input_name(file),
                                     record.id, input_name(*other->second)));
      }
      all.push_back(std::move(record));
    }
  }
  return all;
}

}  // namespace outrider::data
