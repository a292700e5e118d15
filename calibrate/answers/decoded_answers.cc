#include "calibrate/answers/decoded_answers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/base/json_number.h"
#include "runtime/base/numbers.h"
#include "runtime/base/text_file.h"
#include "runtime/records/json_records.h"
#include "runtime/sampling/sampler.h"

namespace outrider::calibrate {
namespace {

using nlohmann::json;
using text::RecordLocation;

std::int64_t number_between(std::int64_t least, std::int64_t most, const json& value,
                            const std::string& name, const RecordLocation& line) {
  const std::optional<std::int64_t> number = whole_number(value);
  if (!number || *number < least || *number > most)
    line.fail(fmt::format("{}: expected a whole number from {} to {}, found {:.40}", name, least,
                          most, value.dump()));
  return *number;
}

std::vector<Token> tokens_of(const json& record, const std::string& key, int vocab,
                             const RecordLocation& line) {
  const auto tokens = record.find(key);
  if (tokens == record.end() || !tokens->is_array())
    line.fail(fmt::format("\"{}\": expected a list of token ids, as `runtime decode --json` writes",
                          key));
  std::vector<Token> ids;
  for (const json& token : *tokens)
    ids.push_back(static_cast<Token>(
        number_between(0, vocab - 1, token, fmt::format("a token of \"{}\"", key), line)));
  return ids;
}

/// A whole number in an object; `otherwise` where the key is absent.
int optional_number(const json& object, const char* key, std::int64_t least, int otherwise,
                    const RecordLocation& line) {
  const auto number = object.find(key);
  if (number == object.end()) return otherwise;
  return static_cast<int>(
      number_between(least, INT32_MAX, *number, fmt::format("\"{}\"", key), line));
}

/// The number under `key`, if present.
void read_real(const json& object, const std::string& key, double& value,
               const RecordLocation& line) {
  const auto number = object.find(key);
  if (number == object.end()) return;
  if (!number->is_number())
    line.fail(fmt::format("\"{}\": expected a number, found {:.40}", key, number->dump()));
  value = number->get<double>();
}

std::vector<std::pair<Token, double>> logit_bias_of(const json& settings,
                                                    const RecordLocation& line) {
  std::vector<std::pair<Token, double>> all;
  const auto biases = settings.find("logit_bias");
  if (biases == settings.end()) return all;
  if (!biases->is_object()) line.fail("\"logit_bias\": expected an object");
  for (const auto& [id, bias] : biases->items()) {
    const auto token = parse_integer(id);
    if (!token || *token < 0 || *token > INT32_MAX)
      line.fail(fmt::format("\"logit_bias\": expected token ids, found \"{:.40}\"", id));
    all.emplace_back(static_cast<Token>(*token), 0);
    read_real(*biases, id, all.back().second, line);
  }
  return all;
}

sampling::SamplerOptions sampler_of(const json& settings, int vocab, const RecordLocation& line) {
  sampling::SamplerOptions sampler;
  for (const auto& [key, value] : {std::pair{"temperature", &sampler.temperature},
                                   {"top_p", &sampler.top_p},
                                   {"min_p", &sampler.min_p},
                                   {"repetition_penalty", &sampler.repetition_penalty},
                                   {"presence_penalty", &sampler.presence_penalty},
                                   {"frequency_penalty", &sampler.frequency_penalty}})
    read_real(settings, key, *value, line);
  sampler.top_k = optional_number(settings, "top_k", 0, sampler.top_k, line);
  sampler.logit_bias = logit_bias_of(settings, line);
  if (const auto seed = settings.find("seed"); seed != settings.end()) {
    if (!seed->is_number_unsigned())
      line.fail(fmt::format("\"seed\": expected a whole number, found {:.40}", seed->dump()));
    sampler.seed = seed->get<std::uint64_t>();
  }
  try {
    sampling::check(sampler, vocab);
  } catch (const InputError& error) {
    line.fail(fmt::format("\"settings\": {}", error.what()));
  }
  return sampler;
}

const json& settings_of(const json& record, const RecordLocation& line) {
  const auto settings = record.find("settings");
  for (const char* key : {"max_new", "context"})
    if (settings == record.end() || !settings->is_object() || !settings->contains(key))
      line.fail(fmt::format("\"settings\": expected an object with \"{}\"", key));
  return *settings;
}

Answer read_record(const json& record, int vocab, int context, const RecordLocation& line) {
  text::require_object(record, line);
  Answer answer;
  answer.id = text::optional_text(record, "id", line);
  answer.task = text::optional_text(record, "task", line);
  answer.tokens = tokens_of(record, "prompt_tokens", vocab, line);
  if (answer.tokens.empty()) line.fail("\"prompt_tokens\": expected at least one token");
  answer.prompt = static_cast<int>(answer.tokens.size());
  const std::vector<Token> output = tokens_of(record, "output_tokens", vocab, line);
  answer.tokens.insert(answer.tokens.end(), output.begin(), output.end());

  const json& settings = settings_of(record, line);
  // A text's last token may be beyond the context.
  const std::int64_t most = number_between(std::ssize(answer.tokens) - 1, context,
                                           settings["context"], "\"context\"", line);
  answer.max_new = static_cast<int>(
      number_between(std::ssize(output), INT32_MAX / 2, settings["max_new"], "\"max_new\"", line));
  answer.context = static_cast<int>(std::min(most, std::int64_t{answer.prompt} + *answer.max_new));
  answer.sampler = sampler_of(settings, vocab, line);
  answer.sequence_seed = sampling::sequence_seed(answer.sampler.seed, answer.id,
                                                 optional_number(record, "turn", 1, 1, line),
                                                 optional_number(record, "sample", 1, 1, line));
  return answer;
}

}  // namespace

Answer answer_of(const inference::GeneratedText& text,
                 const inference::GenerationOptions& options) {
  Answer answer{text.name.prompt, text.name.task, text.prompt_tokens,
                static_cast<int>(text.prompt_tokens.size())};
  answer.tokens.insert(answer.tokens.end(), text.result.tokens.begin(), text.result.tokens.end());
  answer.max_new = options.max_new;
  answer.context = text.context;
  answer.sampler = options.sampler;
  answer.sequence_seed = sampling::sequence_seed(options.sampler.seed, text.name.prompt,
                                                 text.name.turn, text.name.sample);
  return answer;
}

std::vector<Answer> parse_decoded_answers(std::string_view text, const std::string& name, int vocab,
                                          int context) {
  std::vector<Answer> answers;
  text::for_each_line(text, name, [&](const json& record, const RecordLocation& line) {
    answers.push_back(read_record(record, vocab, context, line));
  });
  if (answers.empty())
    throw InputError(
        fmt::format("{}: no texts in it, expected records of `runtime decode --json`", name));
  return answers;
}

std::vector<Answer> read_decoded_answers(const std::filesystem::path& path, int vocab,
                                         int context) {
  return parse_decoded_answers(read_text_file(path, text::kMostPromptBytes), input_name(path),
                               vocab, context);
}

}  // namespace outrider::calibrate
