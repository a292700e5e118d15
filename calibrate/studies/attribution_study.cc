#include "calibrate/studies/attribution_study.h"

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/inference/context_needed.h"
#include "runtime/records/marked_answer.h"
#include "runtime/records/prompt_file.h"

namespace outrider::calibrate {
namespace {

/// The source of each token: that of the first span that overlaps its bytes.
std::vector<int> source_of_each(const std::vector<Token>& tokens,
                                const std::vector<text::SourceSpan>& spans,
                                const text::Tokenizer& tokenizer) {
  std::vector<int> sources;
  std::size_t begin = 0;
  for (const Token token : tokens) {
    const std::string_view piece = tokenizer.piece(token, true);
    const std::size_t end = begin + (sources.empty() ? tokenizer.opening(piece) : piece).size();
    int source = 0;
    for (const text::SourceSpan& span : spans)
      if (source == 0 && begin < span.end && span.begin < end) source = span.source;
    sources.push_back(source);
    begin = end;
  }
  return sources;
}

/// The message with the instruction instead of the text before the first source.
std::string asked(const std::string& message, const std::string& instruction) {
  const std::vector<text::SourceSpan> sources = text::find_sources(message);
  return instruction + "\n\n" + message.substr(sources.front().begin);
}

/// Nothing for a record that marks no source, or whose prompt has none.
std::optional<MarkedExample> example(const text::PromptRecord& record,
                                     const AttributionStudy& study,
                                     const inference::Target& target) {
  const text::MarkedAnswer marked = text::read_marked_answer(record.reference);
  if (record.turns.size() != 1 || marked.spans.empty()) return std::nullopt;
  if (text::find_sources(record.turns[0]).empty()) return std::nullopt;
  const text::Tokenizer& tokenizer = target.tokenizer();
  MarkedExample made;
  text::PromptRecord instructed = record;
  instructed.turns[0] = asked(record.turns[0], study.instruction);
  made.prompt = inference::first_turn(target, instructed);
  made.answer = tokenizer.encode(marked.text, false);
  const std::string prompt = tokenizer.decode(made.prompt, true);
  made.known.answer = source_of_each(made.answer, marked.spans, tokenizer);
  made.known.prompt = source_of_each(made.prompt, text::find_sources(prompt), tokenizer);
  return made;
}

/// The copied spans found by drafting along the given answer.
std::vector<decode::CopiedSpan> copied_spans(const MarkedExample& given,
                                             const methods::PreparedMethod& method,
                                             const AttributionStudy& study,
                                             inference::Target& target, Watch& watch) {
  const std::unique_ptr<draft::Drafter> drafter = method.new_drafter();
  decode::Decoder decoder(target.engine(),
                          static_cast<int>(given.prompt.size() + given.answer.size()));
  sampling::Sampler sampler({}, target.model().config.vocab, 0);
  decode::DecodeLimits limits;
  limits.max_new = static_cast<int>(given.answer.size());
  limits.prefill_chunk = study.prefill_chunk;
  limits.interrupted = [&watch] { return watch.interrupted(); };
  limits.given = given.answer;
  decode::Attribution attribution(static_cast<int>(given.prompt.size()), 1);
  decoder.decode(given.prompt, sampler, drafter.get(), limits,
                 [&](Token, const draft::Origin& origin) {
                   attribution.push(origin.position);
                   return true;
                 });
  return attribution.spans();
}

}  // namespace

std::vector<MarkedExample> marked_examples(const AttributionStudy& study,
                                           const inference::Target& target) {
  std::vector<MarkedExample> all;
  std::vector<text::PromptRecord> records = text::read_prompts(study.prompts);
  if (study.skip_refused) inference::leave_out_refused(target, records);
  for (const text::PromptRecord& record : records) {
    auto made = example(record, study, target);
    if (!made) continue;
    const auto tokens = made->prompt.size() + made->answer.size();
    if (static_cast<int>(tokens) > target.context())
      throw InputError(fmt::format("{}: {}: expected at most {} tokens, the context, found {}",
                                   study.prompts, record.id, target.context(), tokens));
    all.push_back(std::move(*made));
  }
  if (all.empty())
    throw InputError(fmt::format(
        "{}: found no record of one turn with lines \"Source N (title): text\" and a \"reference\" "
        "that marks what it copied as [ N text ]",
        study.prompts));
  return all;
}

std::vector<study::AttributionScore> score_attribution(const std::vector<MarkedExample>& examples,
                                                       const AttributionStudy& study,
                                                       const methods::PreparedMethod& method,
                                                       inference::Target& target, Watch& watch) {
  std::vector<study::AttributionScore> scores;
  for (const int length : study.spans) scores.push_back({length});
  watch.listen();
  watch.begin("answers", std::ssize(examples));
  std::int64_t done = 0;
  for (const MarkedExample& one : examples) {
    const auto spans = copied_spans(one, method, study, target, watch);
    if (watch.interrupted()) throw Interrupted();
    for (study::AttributionScore& score : scores) score.add(spans, one.known);
    watch.show(++done);
  }
  watch.end();
  return scores;
}

}  // namespace outrider::calibrate
