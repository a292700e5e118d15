#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "calibrate/commands/commands.h"
#include "data/study/attribution_score.h"
#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/target.h"
#include "runtime/records/marked_answer.h"
#include "runtime/records/prompt_file.h"

namespace outrider::calibrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAttributeExamples =
    "The model reads the given answers (\"reference\"), whose marks [ N ... ] name the "
    "source\n"
    "of what they copy; \"Source N (title): text\" in the prompt is such a source. The drafts that "
    "agree\n"
    "with the answer say what was copied, and are compared with the marks.\n\n"
    "Examples:\n"
    "  calibrate attribute -m MODEL.gguf --prompts quotesum.jsonl\n"
    "  calibrate attribute -m MODEL.gguf --prompts quotesum.jsonl --method pld-plus-a --json "
    "a.json\n";

struct AttributeOptions {
  cli::TargetFlags target;
  std::string prompts;
  bool skip_refused = false;
  std::vector<std::string> spans;
  std::string instruction = "Answer the question by combining the sources below.";
  cli::MethodFlags method{"pld-plus-h"};
  int prefill_chunk = 64;
  std::string json;
  bool quiet = false;
  std::set<std::string> given;  // long names of the flags on the command line
};

/// A marked answer as tokens, with its prompt.
struct Example {
  std::vector<Token> prompt;
  std::vector<Token> answer;
  study::KnownCopies known;
};

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
std::optional<Example> example(const text::PromptRecord& record, const AttributeOptions& options,
                               const inference::Target& target) {
  const text::MarkedAnswer marked = text::read_marked_answer(record.reference);
  if (record.turns.size() != 1 || marked.spans.empty()) return std::nullopt;
  if (text::find_sources(record.turns[0]).empty()) return std::nullopt;
  const text::Tokenizer& tokenizer = target.tokenizer();
  Example made;
  text::PromptRecord instructed = record;
  instructed.turns[0] = asked(record.turns[0], options.instruction);
  made.prompt = inference::first_turn(target, instructed);
  made.answer = tokenizer.encode(marked.text, false);
  const std::string prompt = tokenizer.decode(made.prompt, true);
  made.known.answer = source_of_each(made.answer, marked.spans, tokenizer);
  made.known.prompt = source_of_each(made.prompt, text::find_sources(prompt), tokenizer);
  return made;
}

std::vector<Example> examples(const AttributeOptions& options, const inference::Target& target) {
  std::vector<Example> all;
  std::vector<text::PromptRecord> records = text::read_prompts(options.prompts);
  if (options.skip_refused) inference::leave_out_refused(target, records);
  for (const text::PromptRecord& record : records) {
    auto made = example(record, options, target);
    if (!made) continue;
    const auto tokens = made->prompt.size() + made->answer.size();
    if (static_cast<int>(tokens) > target.context())
      throw InputError(fmt::format("{}: {}: expected at most {} tokens, the context, found {}",
                                   options.prompts, record.id, target.context(), tokens));
    all.push_back(std::move(*made));
  }
  if (all.empty())
    throw InputError(fmt::format(
        "{}: found no record of one turn with lines \"Source N (title): text\" and a \"reference\" "
        "that marks what it copied as [ N text ]",
        options.prompts));
  return all;
}

/// The copied spans found by drafting along the given answer.
std::vector<decode::CopiedSpan> copied_spans(const Example& given,
                                             const methods::PreparedMethod& method,
                                             int prefill_chunk, inference::Target& target) {
  const std::unique_ptr<draft::Drafter> drafter = method.new_drafter();
  decode::Decoder decoder(target.engine(),
                          static_cast<int>(given.prompt.size() + given.answer.size()));
  sampling::Sampler sampler({}, target.model().config.vocab, 0);
  decode::DecodeLimits limits;
  limits.max_new = static_cast<int>(given.answer.size());
  limits.prefill_chunk = prefill_chunk;
  limits.interrupted = interrupted;
  limits.given = given.answer;
  decode::Attribution attribution(static_cast<int>(given.prompt.size()), 1);
  decoder.decode(given.prompt, sampler, drafter.get(), limits,
                 [&](Token, const draft::Origin& origin) {
                   attribution.push(origin.position);
                   return true;
                 });
  return attribution.spans();
}

std::string text_of(const std::vector<study::AttributionScore>& scores, std::size_t texts) {
  const study::AttributionScore& first = scores.front();
  std::string text = fmt::format(
      "{} answers, {} tokens copied\n"
      "spans of    precision  recall  F1     of {:<5} spans, from the right source\n",
      texts, first.gold, "these");
  for (const study::AttributionScore& score : scores)
    text += fmt::format("{:>3} and more {:<10.3f} {:<7.3f} {:<6.3f} {:>5.1f} % of {}\n",
                        score.min_span, score.precision(), score.recall(), score.f1(),
                        100 * score.right_share(), score.spans);
  return text;
}

std::string json_of(const std::vector<study::AttributionScore>& scores, std::size_t texts,
                    const AttributeOptions& options, const methods::PreparedMethod& method,
                    const inference::Target& target) {
  const inference::TargetOptions& of_target = target.options();
  Json json = {{"model", of_target.model},
               {"prompts", options.prompts},
               {"method", method.name()},
               {"settings", method.record()},
               {"chat", target.chat().name()},
               {"system", of_target.system ? Json(*of_target.system) : Json()},
               {"instruction", options.instruction},
               {"numerics", target.engine().numerics_name()},
               {"texts", texts}};
  for (const study::AttributionScore& score : scores)
    json["scores"].push_back({{"min_span", score.min_span},
                              {"precision", score.precision()},
                              {"recall", score.recall()},
                              {"f1", score.f1()},
                              {"predicted_tokens", score.predicted},
                              {"gold_tokens", score.gold},
                              {"spans", score.spans},
                              {"spans_of_right_source", score.right}});
  return json_text(json, 2) + "\n";
}

void attribute(const AttributeOptions& options) {
  std::vector<int> lengths = {2, 5, 8};
  cli::read_whole_numbers("--spans", options.spans, 1, 1 << 20, lengths);
  const inference::TargetOptions of_target = target_options(options.target, options.quiet);
  const auto chosen = options.method.chosen(options.given);
  inference::Target target(of_target);
  chosen->copy_whole();
  const methods::PreparedMethod method = chosen->prepare({target.model(), target.engine()});
  const std::vector<Example> given = examples(options, target);
  std::vector<study::AttributionScore> scores;
  for (const int length : lengths) scores.push_back({length});
  OutputFile json("--json", options.json);
  catch_interrupts();
  cli::Progress progress("answers", std::ssize(given), options.quiet);
  std::int64_t done = 0;
  for (const Example& one : given) {
    const auto spans = copied_spans(one, method, options.prefill_chunk, target);
    if (interrupted()) throw Interrupted();
    for (study::AttributionScore& score : scores) score.add(spans, one.known);
    progress.show(++done);
  }
  json.write_all(json_of(scores, given.size(), options, method, target));
  if (!json.is_standard_output()) write_output(text_of(scores, given.size()));
}

}  // namespace

cli::Command add_attribute(CLI::App& program) {
  auto options = std::make_shared<AttributeOptions>();
  cli::CommandOptions command(program, "attribute",
                              "Score how well drafts attribute an answer to its prompt");
  command.footer(kAttributeExamples);
  declare_model_flags(command, options->target.model, options->target.context);
  command.add_option("--prompts", options->prompts, "JSON lines with \"reference\" answers")
      .type_name("FILE")
      .required();
  cli::declare_skip_refused_flag(command, options->skip_refused);
  command.add_list("--spans", options->spans,
                   "Shortest span in tokens, one score for each (default: 2 5 8)");
  command.add_option("--instruction", options->instruction,
                     "The text before the first source, instead of the prompt's own, which may ask "
                     "for marks");
  declare_chat_flags(command, options->target);
  command.group("Method");
  options->method.declare_copying_method(command);
  // What is copied from elsewhere has no source in the prompt.
  options->method.declare_settings(command, {"reference"});
  declare_machine_flags(command, options->target.engine, options->prefill_chunk);
  command.group("Options");
  command
      .add_option("--json", options->json,
                  "Also write the scores to this file; - is standard output, instead of the text")
      .type_name("FILE");
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return {command, [options, command] {
            options->given = command.given();
            attribute(*options);
          }};
}

}  // namespace outrider::calibrate
