#include "runtime/commands/decode_record.h"

#include <nlohmann/json.hpp>

#include "runtime/base/memory.h"
#include "runtime/cli/pass_records.h"
#include "runtime/commands/attributed_spans.h"
#include "runtime/commands/figures.h"

namespace outrider {
namespace {

using Json = nlohmann::ordered_json;

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
Json settings(const inference::Target& target, const DecodeRun& run) {
  const inference::TargetOptions& options = target.options();
  const inference::GenerationOptions& generation = run.generation;
  Json all = {{"model", options.model},
              {"chat", target.chat().name()},
              {"system", options.system ? Json(*options.system) : Json()},
              {"max_new", generation.max_new},
              {"context", target.context()},
              {"stop", generation.stops}};
  all.update(sampler_settings(generation.sampler));
  all.update(run.method.record());
  all.update({{"threads", target.engine().threads()},
              {"numerics", target.engine().numerics_name()},
              {"isa", target.engine().isa_name()},
              {"prefill_chunk", generation.prefill_chunk}});
  return all;
}

/// Copied spans and their sources: tokens by their positions in `output_tokens` and
/// `prompt_tokens`, characters (Unicode code points, as in Python) of `text` and `prompt_text`.
Json attribution(const inference::GeneratedText& text, const text::Tokenizer& tokenizer) {
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

/// Counts of drafted and accepted tokens, by source and by rank within it.
Json row_counts(const decode::DecodeStats& stats) {
  Json all = {{"tokens", stats.rows.tokens},
              {"tree_share",
               static_cast<double>(stats.rows.nodes) / static_cast<double>(stats.rows.tokens)}};
  for (const auto& [source, counts] : stats.rows.by_source) {
    Json lengths = Json::object();
    for (const auto& [tokens, passes] : counts.passes_by_accepted)
      lengths[std::to_string(tokens)] = passes;
    all[draft::name_of(source)] = {{"allotted", counts.allotted},
                                   {"drafted_tokens", counts.drafted_tokens},
                                   {"accepted", counts.accepted},
                                   {"accepted_tokens", counts.accepted_tokens},
                                   {"passes_by_accepted", lengths}};
  }
  return all;
}

/// Keyed by the drafters' names.
Json draft_seconds(const decode::DecodeStats& stats) {
  Json all = Json::object();
  for (const draft::DrafterSeconds& one : stats.draft_seconds) all[one.name] = one.seconds;
  return all;
}

/// What the target's passes gave and took, keyed by the name of the drafter whose drafts they had.
Json by_drafter(const decode::DecodeStats& stats) {
  Json all = Json::object();
  for (const draft::DrafterResults& one : stats.by_drafter)
    all[one.name] = {{"passes", one.passes},
                     {"drafted", one.drafted},
                     {"accepted", one.accepted},
                     {"verify_seconds", one.verify_seconds},
                     {"sample_seconds", one.sample_seconds}};
  return all;
}

/// By their names.
Json draft_counts(const decode::DecodeStats& stats) {
  Json all = Json::object();
  for (const draft::DrafterCount& one : stats.draft_counts) all[one.name] = one.count;
  return all;
}

}  // namespace

std::string decode_record(const inference::GeneratedText& text, const inference::Target& target,
                          const DecodeRun& run) {
  const decode::DecodeResult& result = text.result;
  const decode::DecodeStats& stats = result.stats;
  const std::int64_t decoded =
      result.tokens.empty() ? 0 : static_cast<std::int64_t>(result.tokens.size()) - 1;
  Json record = {{"id", text.name.prompt}, {"task", text.name.task}};
  if (run.all_turns) record["turn"] = text.name.turn;
  if (run.samples > 1) record["sample"] = text.name.sample;
  record.update({{"method", run.method.name()},
                 {"settings", settings(target, run)},
                 {"prompt_tokens", text.prompt_tokens},
                 {"output_tokens", result.tokens},
                 {"text", text.text},
                 {"finish_reason", decode::finish_name(result.finish)},
                 {"passes", stats.passes},
                 {"drafted", stats.drafted},
                 {"accepted", stats.accepted},
                 {"drafts", cli::drafts_by_pass(stats.by_pass)},
                 {"prefilled_tokens", stats.prefilled_rows},
                 {"prefill_seconds", stats.prefill_seconds},
                 {"decode_seconds", stats.decode_seconds},
                 {"draft_seconds", draft_seconds(stats)},
                 {"verify_seconds", stats.verify_seconds},
                 {"sample_seconds", stats.sample_seconds},
                 {"by_drafter", by_drafter(stats)},
                 {"tokens_per_pass", tokens_per_pass(decoded, stats.passes)},
                 {"peak_rss_bytes", peak_rss_bytes()}});
  if (run.attributes) {
    record["min_span"] = run.generation.min_span;
    record["prompt_text"] = prompt_text(text, target.tokenizer());
    record["attribution"] = attribution(text, target.tokenizer());
  }
  if (!stats.draft_counts.empty()) record["draft_counts"] = draft_counts(stats);
  if (stats.rows.tokens > 0) record["rows"] = row_counts(stats);
  // A name from a file may be invalid UTF-8.
  return record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace outrider
