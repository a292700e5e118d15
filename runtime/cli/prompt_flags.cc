#include "runtime/cli/prompt_flags.h"

#include <fmt/core.h>

#include <filesystem>
#include <limits>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/shipped_file.h"
#include "runtime/base/text_file.h"
#include "runtime/cli/command_options.h"
#include "runtime/cli/read_files.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::cli {
namespace {

constexpr std::size_t kMaxPromptBytes = std::size_t{64} << 20;

std::string without_final_line_end(std::string text) {
  if (!text.ends_with('\n')) return text;
  text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

std::string one_prompt(const PromptFlags& flags) {
  if (!flags.prompt) {
    return without_final_line_end(read_text_file(flags.prompt_file, kMaxPromptBytes));
  }
  if (*flags.prompt != "-") return *flags.prompt;
  return without_final_line_end(read_standard_input(kMaxPromptBytes));
}

std::string source_name(const PromptFlags& flags) {
  if (!flags.prompt) return input_name(flags.prompt_file);
  return *flags.prompt == "-" ? "standard input" : "--prompt";
}

/// --limit, --skip-refused
void declare_record_flags(CommandOptions& command, PromptFlags& flags) {
  command.add_option("--limit", flags.limit, "Records of --prompts to decode; 0: all")
      .check(whole_number(0, std::numeric_limits<int>::max()))
      .rare();
  declare_skip_refused_flag(command, flags.skip_refused);
}

}  // namespace

void declare_skip_refused_flag(CommandOptions& command, bool& skip_refused) {
  command
      .add_flag("--skip-refused", skip_refused,
                "Leave out prompts that the chat template refuses instead of ending")
      .rare();
}

void declare_first_turns_flags(CommandOptions& command, PromptFlags& flags) {
  command.add_option("--prompts", flags.prompts, "Prompts to decode (JSON lines), first turns")
      .type_name("FILE")
      .reads(prompts_at);
  declare_record_flags(command, flags);
}

void declare_prompt_flags(CommandOptions& command, PromptFlags& flags) {
  command.add_option("-p,--prompt", flags.prompt, "The prompt; - reads standard input")
      .reads(input_of_text);
  command
      .add_option("--prompt-file", flags.prompt_file,
                  "Read the prompt from a file; - is standard input")
      .type_name("FILE")
      .reads()
      .rare();
  command
      .add_option("--prompts", flags.prompts,
                  "Decode every record of a JSON lines file; - is standard input")
      .type_name("FILE")
      .reads(prompts_at)
      .brief("JSON lines file of prompts; - is standard input");
  declare_record_flags(command, flags);
  command.add_option("--turns", flags.turns, "Turns of a record: first, or all in a row")
      .check(one_of({"first", "all"}))
      .rare();
  command.add_option("--samples", flags.samples, "Texts to generate for each prompt")
      .check(whole_number(1, 1'000'000))
      .rare();
}

void resolve_prompt_flags(PromptFlags& flags, const std::set<std::string>& given) {
  const auto is_given = [&given](const char* flag) { return given.count(flag) > 0; };
  if (is_given("prompt") || is_given("prompt-file") || is_given("prompts")) {
    if (!is_given("prompt")) flags.prompt.reset();
    if (!is_given("prompt-file")) flags.prompt_file.clear();
    if (!is_given("prompts")) flags.prompts.clear();
  }
  const char* first = nullptr;
  for (const auto& [flag, there] : {std::pair{"--prompt", flags.prompt.has_value()},
                                    std::pair{"--prompt-file", !flags.prompt_file.empty()},
                                    std::pair{"--prompts", !flags.prompts.empty()}}) {
    if (!there) continue;
    if (first != nullptr)
      throw InputError(fmt::format("{} and {}: give only one of them", first, flag));
    first = flag;
  }
  if (!flags.prompts.empty()) return;
  for (const char* flag : {"limit", "turns", "skip-refused"})
    if (is_given(flag)) throw InputError(fmt::format("--{}: only with --prompts", flag));
}

std::string prompt_file(const std::string& prompts) {
  const bool ours = prompts == kShippedPrompts && !std::filesystem::exists(prompts);
  return ours ? shipped_file(prompts).string() : prompts;
}

std::vector<text::PromptRecord> read_prompts(const PromptFlags& flags) {
  if (!flags.prompts.empty()) {
    std::vector<text::PromptRecord> records = text::read_prompts(prompt_file(flags.prompts));
    const auto limit = static_cast<std::size_t>(flags.limit);
    if (limit > 0 && limit < records.size()) records.resize(limit);
    if (flags.turns == "first") {
      for (text::PromptRecord& record : records) text::keep_turns(record, 1);
    }
    return records;
  }
  if (!flags.prompt && flags.prompt_file.empty()) return {};

  text::PromptRecord record;
  record.id = "prompt";
  record.turns = {one_prompt(flags)};
  if (record.turns[0].empty()) {
    throw InputError(fmt::format("{}: the prompt is empty, expected a text", source_name(flags)));
  }
  if (const auto offset = text::find_invalid_utf8(record.turns[0])) {
    throw InputError(
        fmt::format("{}: expected UTF-8, byte {} is not", source_name(flags), *offset));
  }
  return {record};
}

}  // namespace outrider::cli
