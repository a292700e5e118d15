#include "calibrate/studies/attribution_study.h"

#include <fmt/core.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "calibrate/answers/find_answers.h"
#include "calibrate/answers/work_ahead.h"
#include "data/journal/entry_numbers.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/inference/context_needed.h"
#include "runtime/prompt_files/marked_answer.h"
#include "runtime/prompt_files/prompt_file.h"

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

/// Adds a record, unless it marks no source, or its prompt has none.
void add_marked(const text::PromptRecord& record, const AttributionStudy& study,
                const inference::Target& target, MarkedAnswers& all) {
  const text::MarkedAnswer marked = text::read_marked_answer(record.reference);
  if (record.turns.size() != 1 || marked.spans.empty()) return;
  if (text::find_sources(record.turns[0]).empty()) return;
  const text::Tokenizer& tokenizer = target.tokenizer();
  text::PromptRecord instructed = record;
  instructed.turns[0] = asked(record.turns[0], study.instruction);
  const std::vector<Token> prompt = inference::first_turn(target, instructed);
  const std::vector<Token> made = tokenizer.encode(marked.text, false);
  const std::string sources = tokenizer.decode(prompt, true);
  all.known.push_back({source_of_each(made, marked.spans, tokenizer),
                       source_of_each(prompt, text::find_sources(sources), tokenizer)});
  Answer answer = {record.id, record.task, prompt, static_cast<int>(prompt.size())};
  answer.tokens.insert(answer.tokens.end(), made.begin(), made.end());
  all.answers.push_back(std::move(answer));
}

/// The copied spans found by drafting along a given answer. @throws Interrupted
std::vector<decode::CopiedSpan> copied_spans(const Answer& given,
                                             const methods::PreparedMethod& method,
                                             const AttributionStudy& study,
                                             inference::Target& target, Watch& watch) {
  const auto prompt = static_cast<std::size_t>(given.prompt);
  const std::unique_ptr<draft::Drafter> drafter = method.new_drafter();
  decode::Decoder decoder(target.engine(), static_cast<int>(given.tokens.size()));
  sampling::Sampler sampler({}, target.model().config.vocab, 0);
  decode::DecodeLimits limits;
  limits.max_new = given.made();
  limits.prefill_chunk = study.prefill_chunk;
  limits.interrupted = [&watch] { return watch.interrupted(); };
  limits.given.assign(given.tokens.begin() + given.prompt, given.tokens.end());
  decode::Attribution attribution(given.prompt, 1);
  decoder.decode(std::span(given.tokens).first(prompt), sampler, drafter.get(), limits,
                 [&](Token, const draft::Origin& origin) {
                   attribution.push(origin.position);
                   return true;
                 });
  if (watch.interrupted()) throw Interrupted();
  return attribution.spans();
}

data::Journal::Entry entry_of(const std::vector<decode::CopiedSpan>& spans) {
  data::EntryWriter numbers;
  for (const decode::CopiedSpan& span : spans)
    numbers.add(span.begin).add(span.end).add(span.source);
  return numbers.entry();
}

/// @param made, prompt  tokens of the answer and before it
std::optional<std::vector<decode::CopiedSpan>> spans_of(const data::Journal::Entry& entry, int made,
                                                        int prompt) {
  std::vector<decode::CopiedSpan> spans;
  data::EntryReader numbers(entry);
  for (int begun = 0; numbers.ok() && !numbers.is_at_end();) {
    const int begin = numbers.integer(), end = numbers.integer(), source = numbers.integer();
    const bool follows = begun <= begin && begin < end && end <= made;
    if (!numbers.ok() || !follows || source < 0 || source + end - begin > prompt) return {};
    spans.push_back({begin, end, source});
    begun = end;
  }
  return spans;
}

}  // namespace

MarkedAnswers marked_answers(const AttributionStudy& study, const inference::Target& target) {
  MarkedAnswers all;
  std::vector<text::PromptRecord> records = text::read_prompts(study.prompts);
  if (study.skip_refused) inference::leave_out_refused(target, records);
  for (const text::PromptRecord& record : records) add_marked(record, study, target, all);
  for (const Answer& answer : all.answers)
    if (static_cast<int>(answer.tokens.size()) > target.context())
      throw InputError(fmt::format("{}: {}: expected at most {} tokens, the context, found {}",
                                   study.prompts, answer.id, target.context(),
                                   answer.tokens.size()));
  if (all.answers.empty())
    throw InputError(
        fmt::format("{}: found no record of one turn with lines \"Source N (title): text\" and a "
                    "\"reference\" that marks what it copied as [ N text ]",
                    study.prompts));
  return all;
}

std::vector<study::AttributionScore> score_attribution(const MarkedAnswers& marked,
                                                       const AttributionStudy& study,
                                                       const methods::PreparedMethod& method,
                                                       inference::Target& target,
                                                       data::Journal& journal, Watch& watch) {
  std::vector<study::AttributionScore> scores;
  for (const int length : study.spans) scores.push_back({length});
  const auto drafted_along = [&](const Answer& answer) {
    return copied_spans(answer, method, study, target, watch);
  };
  watch.listen();
  plan_answers(watch, journal.left_of(marked.answers), "answers drafted along", drafted_along);
  std::size_t next = 0;
  const auto add = [&](const std::vector<decode::CopiedSpan>& spans) {
    for (study::AttributionScore& score : scores) score.add(spans, marked.known[next]);
    ++next;
  };
  for_each_answer(
      "answers", marked.answers, watch, journal,
      [&](const Answer& answer) {
        const auto spans = drafted_along(answer);
        add(spans);
        return entry_of(spans);
      },
      [&](const Answer& answer, const data::Journal::Entry& kept) {
        const auto spans = spans_of(kept, answer.made(), answer.prompt);
        if (spans) add(*spans);
        return spans.has_value();
      });
  return scores;
}

}  // namespace outrider::calibrate
