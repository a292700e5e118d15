#include <fmt/core.h>

#include <filesystem>

#include "data/prompts/prompt_formats.h"
#include "runtime/base/error.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::data {

std::vector<text::PromptRecord> parse_text(std::string_view text, const std::string& name) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  if (text.empty()) throw InputError(fmt::format("{}: the prompt is empty, expected a text", name));
  if (const auto offset = text::find_invalid_utf8(text))
    throw InputError(fmt::format("{}: expected UTF-8, byte {} is not", name, *offset));
  text::PromptRecord record;
  record.id = std::filesystem::path(name).filename().string();
  record.where = name;
  record.turns = {std::string(text)};
  return {record};
}

}  // namespace outrider::data
