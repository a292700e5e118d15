#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/chat/chat.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/cli/target_flags.h"
#include "runtime/commands/commands.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/for_prompt.h"
#include "runtime/model/model.h"
#include "runtime/prompt_files/prompt_file.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider {
namespace {

constexpr std::size_t kMaxInputBytes = std::size_t{1} << 30;

struct TokenizeOptions {
  cli::TargetFlags target;
  std::optional<std::string> prompt;  // "-": standard input
  std::optional<std::string> decode;  // "-": standard input
  std::string prompts;                // JSON lines
  std::string json;                   // "-": standard output
  bool skip_refused = false;
  bool raw = false;
};

/// A flag's text, or standard input for "-", to its last byte.
std::string text_or_input(const std::string& text) {
  return text == "-" ? read_standard_input(kMaxInputBytes) : text;
}

/// Ids separated by spaces; commas and brackets count as spaces, so that a JSON list can be pasted.
std::vector<Token> parse_ids(std::string_view text) {
  constexpr std::string_view kBetween = " ,[]\t\r\n";
  std::vector<Token> ids;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
    if (text.empty()) return ids;
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    Token id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size()) {
      throw InputError(
          fmt::format("--decode: found '{}', expected token ids like \"1 2 3\"", word));
    }
    ids.push_back(id);
    text.remove_prefix(word.size());
  }
}

/// The model's input for a text: the start token, and the text with special tokens parsed.
std::vector<Token> encode(const text::Tokenizer& tokenizer, const std::string& text) {
  std::vector<Token> tokens = tokenizer.start();
  const std::vector<Token> rest = tokenizer.encode(text, true);
  tokens.insert(tokens.end(), rest.begin(), rest.end());
  return tokens;
}

/// The first turn of a record as the chat format writes it.
text::ChatFormat::Opened opened(const text::PromptRecord& record,
                                const std::optional<std::string>& system,
                                const text::ChatFormat& chat) {
  const std::vector<text::Message> asked = text::asked_in(record, 0);
  return inference::for_prompt(record, [&] {
    return chat.open({asked, record.system ? record.system : system, record.tools, asked.size()});
  });
}

/// Writes {"id", "tokens"} of every record, one per line.
std::string encode_prompts(const TokenizeOptions& options, const text::TokenizerSpec& spec,
                           const text::Tokenizer& tokenizer) {
  cli::TargetFlags flags = options.target;
  if (options.raw) flags.chat = "raw";
  const auto chat = text::ChatFormat::choose(chat_options(flags), spec);
  std::string lines;
  int refused = 0;
  for (const text::PromptRecord& record : text::read_prompts(options.prompts)) {
    std::vector<Token> tokens;
    try {
      tokens = options.raw ? encode(tokenizer, record.turns.front())
                           : tokenizer.encode_opening(opened(record, flags.system, chat).text);
    } catch (const jinja::TemplateRefusal&) {
      if (!options.skip_refused) throw;
      ++refused;
      continue;
    }
    inference::check_not_empty(record, tokens);
    nlohmann::ordered_json line;
    line["id"] = record.id;
    line["tokens"] = tokens;
    lines += json_text(line) + '\n';
  }
  if (refused > 0) print_log("{}\n", inference::refused_line(refused));
  return lines;
}

/// Writes {"text"} of every line of ids, one per line.
std::string decode_lines(std::string_view ids, const text::Tokenizer& tokenizer) {
  std::string lines;
  while (!ids.empty()) {
    const std::size_t end = ids.find('\n');
    const nlohmann::json line = {
        {"text", tokenizer.decode(parse_ids(ids.substr(0, end)), /*show_special=*/true)}};
    lines += json_text(line) + '\n';
    ids.remove_prefix(end == std::string_view::npos ? ids.size() : end + 1);
  }
  return lines;
}

/// @throws InputError unless there is exactly one input, with flags that apply to it
void check(const TokenizeOptions& options) {
  const int inputs = int{options.prompt.has_value()} + int{options.decode.has_value()} +
                     int{!options.prompts.empty()};
  if (inputs != 1) {
    throw InputError(fmt::format(
        "found {} inputs, expected one of --prompt TEXT, --decode IDS and --prompts FILE", inputs));
  }
  if (options.raw && options.prompts.empty()) throw InputError("--raw goes with --prompts only");
  if (options.skip_refused && options.prompts.empty())
    throw InputError("--skip-refused goes with --prompts only");
  if (options.prompt && !options.json.empty()) {
    throw InputError("--json goes with --prompts and --decode only");
  }
  if (!options.prompts.empty() && options.json.empty()) {
    throw InputError("--prompts needs --json FILE for the tokens; - is standard output");
  }
}

void tokenize(const TokenizeOptions& options) {
  check(options);
  const text::TokenizerSpec spec = model::load_tokenizer(options.target.model);
  const text::Tokenizer tokenizer(spec);
  OutputFile json("--json", options.json);
  if (options.prompt) {
    const std::vector<Token> tokens = encode(tokenizer, text_or_input(*options.prompt));
    return write_output(fmt::format("{}\n", fmt::join(tokens, " ")));
  }
  if (!options.prompts.empty()) {
    return json.write_all(encode_prompts(options, spec, tokenizer));
  }
  const std::string ids = text_or_input(*options.decode);
  if (json.is_wanted()) return json.write_all(decode_lines(ids, tokenizer));
  write_output(tokenizer.decode(parse_ids(ids), /*show_special=*/true) + '\n');
}

}  // namespace

cli::Command add_tokenize(CLI::App& program) {
  auto options = std::make_shared<TokenizeOptions>();
  cli::CommandOptions command(program, "tokenize", "Convert text to token ids, and back");
  declare_model_flag(command, options->target.model);
  command
      .add_option("-p,--prompt", options->prompt,
                  "Print the ids of this text, special tokens written in it included; - reads "
                  "standard input, its last line end included")
      .reads(cli::input_of_text);
  command
      .add_option("--decode", options->decode,
                  "Print the text of these ids, as in \"1 2 3\"; - reads standard input")
      .reads(cli::input_of_text);
  command
      .add_option("--prompts", options->prompts,
                  "Tokenize the first turn of every record of this file (JSON lines) as a "
                  "conversation in the model's chat format")
      .type_name("FILE")
      .reads();
  cli::declare_skip_refused_flag(command, options->skip_refused);
  command
      .add_option(
          "--json", options->json,
          "Write one object per line to this file, - is standard output: with --prompts {\"id\", "
          "\"tokens\"} of each record, with --decode {\"text\"} of each line of ids")
      .type_name("FILE")
      .writes();
  declare_chat_flags(command, options->target);
  command.refuse_unless(
      {"chat", "system", "template-arg", "no-thinking", "today"},
      [options] { return !options->prompts.empty() && !options->raw; },
      "only with --prompts, and not with --raw");
  command.add_flag("--raw", options->raw, "With --prompts: the turn as it is, no chat format");
  return {command, [options] { tokenize(*options); }};
}

}  // namespace outrider
