#include "runtime/inference/decode_record.h"

#include <fmt/core.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/base/json_number.h"
#include "runtime/base/json_text.h"
#include "runtime/base/memory.h"
#include "runtime/base/numbers.h"
#include "runtime/inference/attributed_spans.h"
#include "runtime/prompt_files/json_records.h"
#include "runtime/sampling/sampler.h"

namespace outrider::inference {
namespace {

using Json = nlohmann::ordered_json;
using text::JsonRecord;
using text::RecordLocation;

Json sampler_settings(const sampling::SamplerOptions& sampler) {
  Json bias = Json::object();
  for (const auto& [token, value] : sampler.logit_bias) bias[std::to_string(token)] = value;
  return {{"temperature", sampler.temperature},
          {"top_k", sampler.top_k},
          {"top_p", sampler.top_p},
          {"min_p", sampler.min_p},
          {"repetition_penalty", sampler.repetition_penalty},
          {"presence_penalty", sampler.presence_penalty},
          {"frequency_penalty", sampler.frequency_penalty},
          {"logit_bias", bias},
          {"seed", sampler.seed}};
}

/// All settings that determine the text or its speed.
Json all_settings(const Target& target, const RecordedRun& run) {
  const TargetOptions& options = target.options();
  const GenerationOptions& generation = run.generation;
  Json all = {{"model", options.model},
              {"chat", target.chat().name()},
              {"system", options.system ? Json(*options.system) : Json()},
              {"max_new", generation.max_new},
              {"context", target.context()},
              {"stop", generation.stops}};
  all.update(sampler_settings(generation.sampler));
  all.update(run.method_settings);
  all.update({{"threads", target.engine().workers()},
              {"numerics", target.engine().numerics_name()},
              {"device", target.engine().place().device()},
              {"isa", target.engine().place().unit},
              {"prefill_chunk", generation.prefill_chunk}});
  if (run.sequences > 1) all["sequences"] = run.sequences;
  return all;
}

/// Copied spans and their sources: tokens by their positions in `output_tokens` and
/// `prompt_tokens`, characters (Unicode code points, as in Python) of `text` and `prompt_text`.
Json attribution(const GeneratedText& text, const text::Tokenizer& tokenizer) {
  Json spans = Json::array();
  for (const AttributedSpan& span : attributed_spans(text, tokenizer)) {
    const decode::CopiedSpan& tokens = span.tokens;
    spans.push_back({{"output_begin", tokens.begin},
                     {"output_end", tokens.end},
                     {"source_begin", tokens.source},
                     {"source_end", tokens.source + tokens.end - tokens.begin},
                     {"text_begin", span.text.begin},
                     {"text_end", span.text.end},
                     {"source_text_begin", span.source_text.begin},
                     {"source_text_end", span.source_text.end}});
  }
  return spans;
}

/// Keyed by the drafters' names.
Json draft_seconds(const decode::DecodeStats& stats) {
  Json all = Json::object();
  for (const draft::DrafterSeconds& one : stats.draft_seconds) all[one.name] = one.seconds;
  return all;
}

/// What rounds gave and took besides drafting, keyed by the name of the drafter whose drafts they had.
Json by_drafter(const decode::DecodeStats& stats, bool with_times) {
  Json all = Json::object();
  for (const draft::DrafterResults& one : stats.by_drafter) {
    Json& entry = all[one.name];
    entry = {{"passes", one.passes}, {"drafted", one.drafted}, {"accepted", one.accepted}};
    if (with_times)
      entry.update({{"verify_seconds", one.verify_seconds},
                    {"sample_seconds", one.sample_seconds},
                    {"other_seconds", one.other_seconds}});
  }
  return all;
}

/// Of a text that had all passes to itself.
Json own_times(const decode::DecodeStats& stats) {
  return {{"prefill_seconds", stats.prefill_seconds},
          {"decode_seconds", stats.decode_seconds},
          {"draft_seconds", draft_seconds(stats)},
          {"verify_seconds", stats.verify_seconds},
          {"sample_seconds", stats.sample_seconds}};
}

/// Of one that shared them.
Json shared_times(const decode::DecodeStats& stats) {
  return {{"first_token_seconds", stats.prefill_seconds},
          {"last_token_seconds", stats.prefill_seconds + stats.decode_seconds}};
}

/// The drafter's counts by name.
Json draft_counts(const decode::DecodeStats& stats) {
  Json all = Json::object();
  for (const draft::DrafterCount& one : stats.draft_counts) all[one.name] = one.count;
  return all;
}

/// @throws InputError unless `value` is a whole number from `least` to `most`
std::int64_t number_between(std::int64_t least, std::int64_t most, const JsonRecord& value,
                            const std::string& name, const RecordLocation& line) {
  const std::optional<std::int64_t> number = whole_number(value);
  if (!number || *number < least || *number > most)
    line.fail(fmt::format("{}: expected a whole number from {} to {}, found {:.40}", name, least,
                          most, value.dump()));
  return *number;
}

std::vector<Token> tokens_of(const JsonRecord& record, const std::string& key, int vocab,
                             const RecordLocation& line) {
  const auto tokens = record.find(key);
  if (tokens == record.end() || !tokens->is_array())
    line.fail(fmt::format("\"{}\": expected a list of token ids, as `runtime decode --json` writes",
                          key));
  std::vector<Token> ids;
  for (const JsonRecord& token : *tokens)
    ids.push_back(static_cast<Token>(
        number_between(0, vocab - 1, token, fmt::format("a token of \"{}\"", key), line)));
  return ids;
}

/// A whole number in an object; `otherwise` where the key is absent.
int optional_number(const JsonRecord& object, const char* key, std::int64_t least, int otherwise,
                    const RecordLocation& line) {
  const auto number = object.find(key);
  if (number == object.end()) return otherwise;
  return static_cast<int>(
      number_between(least, INT32_MAX, *number, fmt::format("\"{}\"", key), line));
}

/// The number under `key`, if present.
void read_real(const JsonRecord& object, const std::string& key, double& value,
               const RecordLocation& line) {
  const auto number = object.find(key);
  if (number == object.end()) return;
  if (!number->is_number())
    line.fail(fmt::format("\"{}\": expected a number, found {:.40}", key, number->dump()));
  value = number->get<double>();
}

std::vector<std::pair<Token, double>> logit_bias_of(const JsonRecord& settings,
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

sampling::SamplerOptions sampler_of(const JsonRecord& settings, int vocab,
                                    const RecordLocation& line) {
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

const JsonRecord& settings_of(const JsonRecord& record, const RecordLocation& line) {
  const auto settings = record.find("settings");
  for (const char* key : {"max_new", "context"})
    if (settings == record.end() || !settings->is_object() || !settings->contains(key))
      line.fail(fmt::format("\"settings\": expected an object with \"{}\"", key));
  return *settings;
}

DecodedText read_text(const JsonRecord& record, int vocab, int context,
                      const RecordLocation& line) {
  text::require_object(record, line);
  DecodedText text;
  text.name.prompt = text::optional_text(record, "id", line);
  text.name.task = text::optional_text(record, "task", line);
  text.prompt_tokens = tokens_of(record, "prompt_tokens", vocab, line);
  if (text.prompt_tokens.empty()) line.fail("\"prompt_tokens\": expected at least one token");
  text.output_tokens = tokens_of(record, "output_tokens", vocab, line);
  const auto prompt = std::ssize(text.prompt_tokens), output = std::ssize(text.output_tokens);

  const JsonRecord& settings = settings_of(record, line);
  // A text's last token may be beyond the context.
  text.context = static_cast<int>(
      number_between(prompt + output - 1, context, settings["context"], "\"context\"", line));
  text.max_new = static_cast<int>(
      number_between(output, INT32_MAX / 2, settings["max_new"], "\"max_new\"", line));
  text.sampler = sampler_of(settings, vocab, line);
  text.name.turn = optional_number(record, "turn", 1, 1, line);
  text.name.sample = optional_number(record, "sample", 1, 1, line);
  return text;
}

}  // namespace

nlohmann::ordered_json drafts_by_pass(const std::vector<decode::PassDraft>& passes) {
  Json all = Json::array();
  for (const decode::PassDraft& pass : passes) all.push_back({pass.drafted, pass.accepted});
  return all;
}

nlohmann::ordered_json row_counts(const draft::RowStats& rows) {
  Json all = {{"tokens", rows.tokens},
              {"tree_share", static_cast<double>(rows.nodes) / static_cast<double>(rows.tokens)}};
  for (std::size_t i = 0; i < draft::kSources; ++i) {
    const draft::RowCounts& counts = rows.by_source[i];
    if (counts.allotted.empty()) continue;
    Json lengths = Json::object();
    for (std::size_t tokens = 1; tokens < counts.passes_by_accepted.size(); ++tokens)
      if (const std::int64_t passes = counts.passes_by_accepted[tokens]; passes > 0)
        lengths[std::to_string(tokens)] = passes;
    all[draft::name_of(static_cast<draft::Source>(i))] = {
        {"allotted", counts.allotted},
        {"drafted_tokens", counts.drafted_tokens},
        {"accepted", counts.accepted},
        {"accepted_tokens", counts.accepted_tokens},
        {"passes_by_accepted", lengths}};
  }
  return all;
}

std::string decode_record(const GeneratedText& text, const Target& target, const RecordedRun& run) {
  const decode::DecodeResult& result = text.result;
  const decode::DecodeStats& stats = result.stats;
  const std::int64_t decoded =
      result.tokens.empty() ? 0 : static_cast<std::int64_t>(result.tokens.size()) - 1;
  Json record = {{"id", text.name.prompt}, {"task", text.name.task}};
  if (run.all_turns) record["turn"] = text.name.turn;
  if (run.samples > 1) record["sample"] = text.name.sample;
  record.update({{"method", run.method},
                 {"settings", all_settings(target, run)},
                 {"prompt_tokens", text.prompt_tokens},
                 {"output_tokens", result.tokens},
                 {"text", text.text},
                 {"finish_reason", decode::finish_name(result.finish)},
                 {"passes", stats.passes},
                 {"drafted", stats.drafted},
                 {"accepted", stats.accepted},
                 {"cut_rounds", stats.cut_rounds},
                 {"drafts", drafts_by_pass(stats.by_pass)},
                 {"prefilled_tokens", stats.prefilled_rows}});
  const bool is_alone = run.sequences == 1;
  record.update(is_alone ? own_times(stats) : shared_times(stats));
  record.update({{"by_drafter", by_drafter(stats, is_alone)},
                 {"tokens_per_pass", decode::tokens_per_pass(decoded, stats.passes)},
                 {"peak_rss_bytes", peak_rss_bytes()}});
  if (run.attributes) {
    record["min_span"] = run.generation.min_span;
    record["prompt_text"] = prompt_text(text, target.tokenizer());
    record["attribution"] = attribution(text, target.tokenizer());
  }
  if (!stats.draft_counts.empty()) record["draft_counts"] = draft_counts(stats);
  if (stats.rows.tokens > 0) record["rows"] = row_counts(stats.rows);
  // A name from a file may be invalid UTF-8.
  return json_text(record) + "\n";
}

std::vector<DecodedText> parse_decode_records(std::string_view text, const std::string& name,
                                              int vocab, int context) {
  std::vector<DecodedText> texts;
  text::for_each_line(text, name, [&](const JsonRecord& record, const RecordLocation& line) {
    texts.push_back(read_text(record, vocab, context, line));
  });
  if (texts.empty())
    throw InputError(
        fmt::format("{}: no texts in it, expected records of `runtime decode --json`", name));
  return texts;
}

}  // namespace outrider::inference
