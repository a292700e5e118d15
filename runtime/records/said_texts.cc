#include "runtime/records/said_texts.h"

#include <fmt/core.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/base/text_file.h"
#include "runtime/records/json_records.h"

namespace outrider::text {
namespace {

using nlohmann::json;

std::int64_t whole_number(const json& number, const std::string& name, std::int64_t least,
                          std::int64_t most, const RecordPlace& line) {
  // Of numbers that no int64_t holds get<> would make another.
  const bool reads = number.is_number_integer() &&
                     (!number.is_number_unsigned() || number.get<std::uint64_t>() <= INT64_MAX);
  const std::int64_t found = reads ? number.get<std::int64_t>() : least - 1;
  if (!reads || found < least || found > most)
    line.fail(fmt::format("{}: expected a whole number from {} to {}, found {:.40}", name, least,
                          most, number.dump()));
  return found;
}

std::vector<Token> tokens_of(const json& record, const std::string& key, int vocab,
                             const RecordPlace& line) {
  const auto tokens = record.find(key);
  if (tokens == record.end() || !tokens->is_array())
    line.fail(fmt::format("\"{}\": expected a list of token ids, as `runtime decode --json` writes",
                          key));
  std::vector<Token> ids;
  for (const json& token : *tokens)
    ids.push_back(static_cast<Token>(
        whole_number(token, fmt::format("a token of \"{}\"", key), 0, vocab - 1, line)));
  return ids;
}

int setting(const json& record, const char* key, std::int64_t least, std::int64_t most,
            const RecordPlace& line) {
  const auto settings = record.find("settings");
  if (settings == record.end() || !settings->is_object() || settings->find(key) == settings->end())
    line.fail(fmt::format("\"settings\": expected an object with \"{}\"", key));
  const json& number = *settings->find(key);
  return static_cast<int>(whole_number(number, fmt::format("\"{}\"", key), least, most, line));
}

SaidText read_record(const json& record, int vocab, int context, const RecordPlace& line) {
  require_object(record, line);
  SaidText said;
  said.id = optional_text(record, "id", line);
  said.task = optional_text(record, "task", line);
  said.prompt = tokens_of(record, "prompt_tokens", vocab, line);
  if (said.prompt.empty()) line.fail("\"prompt_tokens\": expected at least one token");
  said.output = tokens_of(record, "output_tokens", vocab, line);
  // A text's last token need not fit the context.
  const std::int64_t held = std::ssize(said.prompt) + std::ssize(said.output) - 1;
  said.context = setting(record, "context", held, context, line);
  said.max_new = setting(record, "max_new", std::ssize(said.output), INT32_MAX / 2, line);
  return said;
}

}  // namespace

std::vector<SaidText> parse_said_texts(std::string_view text, const std::string& name, int vocab,
                                       int context) {
  std::vector<SaidText> texts;
  for_each_line(text, name, [&](const json& record, const RecordPlace& line) {
    texts.push_back(read_record(record, vocab, context, line));
  });
  if (texts.empty())
    throw InputError(
        fmt::format("{}: no texts in it, expected records of `runtime decode --json`", name));
  return texts;
}

std::vector<SaidText> read_said_texts(const std::filesystem::path& path, int vocab, int context) {
  return parse_said_texts(read_text_file(path, kMostPromptBytes), path.string(), vocab, context);
}

}  // namespace outrider::text
