#include "runtime/cli/prompt_source.h"

#include <fmt/core.h>

#include <filesystem>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/shipped_file.h"
#include "runtime/base/text_file.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider {
namespace {

constexpr std::size_t kMaxPromptBytes = std::size_t{64} << 20;

std::string without_final_line_end(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

std::string one_prompt(const DecodeOptions& options) {
  if (!options.prompt) {
    return without_final_line_end(read_text_file(options.prompt_file, kMaxPromptBytes));
  }
  if (*options.prompt != "-") return *options.prompt;
  return without_final_line_end(read_standard_input(kMaxPromptBytes));
}

std::string source_name(const DecodeOptions& options) {
  if (!options.prompt) return options.prompt_file;
  return *options.prompt == "-" ? "standard input" : "--prompt";
}

}  // namespace

std::string prompt_file(const std::string& prompts) {
  const bool ours = prompts == kShippedPrompts && !std::filesystem::exists(prompts);
  return ours ? shipped_file(prompts).string() : prompts;
}

std::vector<text::PromptRecord> read_prompts(const DecodeOptions& options) {
  if (!options.prompts.empty()) {
    std::vector<text::PromptRecord> records = text::read_prompts(prompt_file(options.prompts));
    const auto limit = static_cast<std::size_t>(options.limit);
    if (limit > 0 && limit < records.size()) records.resize(limit);
    if (options.turns == "first") {
      for (text::PromptRecord& record : records) record.turns.resize(1);
    }
    return records;
  }
  if (!options.prompt && options.prompt_file.empty()) return {};

  text::PromptRecord record;
  record.id = "prompt";
  record.turns = {one_prompt(options)};
  if (record.turns[0].empty()) {
    throw InputError(fmt::format("{}: the prompt is empty, expected a text", source_name(options)));
  }
  if (const auto offset = text::find_invalid_utf8(record.turns[0])) {
    throw InputError(
        fmt::format("{}: expected UTF-8, byte {} is not", source_name(options), *offset));
  }
  return {record};
}

}  // namespace outrider
