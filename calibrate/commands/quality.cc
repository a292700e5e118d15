#include "data/study/quality.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "calibrate/commands/commands.h"
#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/cli/target_flags.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/for_prompt.h"
#include "runtime/inference/target.h"
#include "runtime/records/prompt_file.h"
#include "runtime/report/sheet.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kQualityExamples =
    "The model reads the given answers (\"reference\") of prompts of one turn, once with the "
    "given flags\n"
    "and once with --numerics f32, and its distributions at every token are compared.\n\n"
    "Examples:\n"
    "  calibrate quality -m MODEL.gguf --prompts PROMPTS.jsonl\n"
    "  calibrate quality -m F16.gguf --quantise q8_0 --prompts a.jsonl b.jsonl --tokens 10000 "
    "--json "
    "quality.json";

struct QualityOptions {
  cli::TargetFlags target;
  std::vector<std::string> prompts;
  bool skip_refused = false;
  int tokens = 50000;
  std::string json;
  bool quiet = false;
};

struct ScoredText {
  std::vector<Token> tokens;
  std::size_t first;  // of the answer
};

bool has_answer(const text::PromptRecord& record) {
  return record.turns.size() == 1 && !record.reference.empty();
}

/// Prompts from every file in turn, so that each task has its share, until there are enough tokens
/// of answers.
std::vector<ScoredText> scored_texts(const QualityOptions& options,
                                     const inference::Target& target) {
  std::vector<std::vector<text::PromptRecord>> files;
  for (const std::string& path : options.prompts) {
    files.push_back(text::read_prompts(path));
    std::erase_if(files.back(), [](const auto& record) { return !has_answer(record); });
    if (options.skip_refused) inference::leave_out_refused(target, files.back());
  }
  for (const auto& records : files)
    for (const text::PromptRecord& record : records)
      inference::check_not_empty(record, inference::first_turn(target, record));
  std::vector<ScoredText> texts;
  std::int64_t wanted = options.tokens;
  bool any_left = true;
  for (std::size_t i = 0; any_left && wanted > 0; ++i) {
    any_left = false;
    for (const auto& records : files) {
      if (i >= records.size() || wanted <= 0) continue;
      any_left = true;
      const text::PromptRecord& record = records[i];
      ScoredText text;
      text.tokens = inference::first_turn(target, record);
      text.first = text.tokens.size();
      const std::vector<Token> answer =
          inference::for_prompt(record, [&] { return target.answer_tokens(record.reference); });
      text.tokens.insert(text.tokens.end(), answer.begin(), answer.end());
      if (static_cast<int>(text.tokens.size()) > target.context()) continue;
      if (static_cast<std::int64_t>(answer.size()) > wanted)
        text.tokens.resize(text.first + static_cast<std::size_t>(wanted));
      wanted -= static_cast<std::int64_t>(text.tokens.size() - text.first);
      texts.push_back(std::move(text));
    }
  }
  if (texts.empty())
    throw InputError(
        "--prompts: found no record of one turn with a \"reference\" that fits the context; "
        "expected answers to read");
  return texts;
}

std::string json_of(const study::Quality& q, const QualityOptions& options,
                    const inference::Target& target) {
  const auto n = static_cast<double>(q.tokens);
  const nlohmann::ordered_json json = {{"model", options.target.model},
                                       {"prompts", options.prompts},
                                       {"numerics", target.engine().numerics_name()},
                                       {"interrupted", interrupted()},
                                       {"tokens", q.tokens},
                                       {"perplexity_f32", q.reference_perplexity()},
                                       {"perplexity", q.perplexity()},
                                       {"perplexity_change", q.perplexity_change()},
                                       {"perplexity_change_error", q.perplexity_change_error()},
                                       {"kl_mean", q.divergence / n},
                                       {"kl_worst", q.worst_divergence},
                                       {"same_best", static_cast<double>(q.same_best) / n}};
  return json_text(json, 2) + "\n";
}

std::string text_of(const study::Quality& q, const QualityOptions& options,
                    const inference::Target& target) {
  const auto n = static_cast<double>(q.tokens);
  report::Sheet sheet;
  sheet.add("model", options.target.model);
  sheet.add("numerics", target.engine().numerics_name() + ", against f32");
  sheet.add("scored", fmt::format("{} tokens of the answers in {}", report::grouped(q.tokens),
                                  fmt::join(options.prompts, ", ")));
  sheet.add("perplexity",
            fmt::format("{:.4f}, f32 {:.4f}: {:+.3f} % (standard error {:.3f} %)", q.perplexity(),
                        q.reference_perplexity(), 100 * q.perplexity_change(),
                        100 * q.perplexity_change_error()));
  sheet.add("divergence", fmt::format("{:.3g} nats a token, {:.3g} at most", q.divergence / n,
                                      q.worst_divergence));
  sheet.add("same best",
            fmt::format("{:.2f} % of positions", 100 * static_cast<double>(q.same_best) / n));
  if (interrupted()) sheet.add("interrupted", "fewer tokens than requested");
  return sheet.text();
}

void quality(const QualityOptions& options) {
  inference::Target target(target_options(options.target, options.quiet));
  const std::vector<ScoredText> texts = scored_texts(options, target);
  cli::EngineFlags exact = options.target.engine;
  exact.numerics = "f32";
  exact.quantise = "none";
  exact.kv = "auto";
  const auto reference =
      target.engine().beside(target.model(), cli::engine_options(exact, options.quiet));

  std::size_t longest = 0;
  std::int64_t all = 0;
  for (const ScoredText& text : texts) {
    longest = std::max(longest, text.tokens.size());
    all += static_cast<std::int64_t>(text.tokens.size());
  }
  OutputFile json("--json", options.json);
  study::QualityMeter meter(*reference, target.engine(), static_cast<int>(longest));
  catch_interrupts();
  cli::Progress progress("tokens", all, options.quiet);
  std::int64_t done = 0;
  for (const ScoredText& text : texts) {
    if (interrupted() && meter.quality().tokens > 0) break;
    meter.read(text.tokens, text.first);
    progress.show(done += static_cast<std::int64_t>(text.tokens.size()));
  }
  if (meter.quality().tokens > 0) {
    json.write_all(json_of(meter.quality(), options, target));
    if (!json.is_standard_output()) write_output(text_of(meter.quality(), options, target));
  }
  if (interrupted()) throw Interrupted();
}

}  // namespace

cli::Command add_quality(CLI::App& program) {
  auto options = std::make_shared<QualityOptions>();
  cli::TargetFlags& target = options->target;
  cli::CommandOptions command(program, "quality",
                              "Compare quantised arithmetic with f32 on given answers");
  command.footer(kQualityExamples);
  declare_model_flags(command, target.model, target.context);
  command.add_list("--prompts", options->prompts, "JSON lines files with \"reference\" answers")
      .type_name("FILE...")
      .required();
  cli::declare_skip_refused_flag(command, options->skip_refused);
  command
      .add_option("--tokens", options->tokens, "Tokens of answers to score, from the files in turn")
      .check(cli::whole_number(1, 1'000'000'000));
  declare_chat_flags(command, target);
  declare_machine_flags(command, target.engine);
  command.group("Options");
  command
      .add_option("--json", options->json,
                  "Also write the figures to this file; - is standard output, instead of the text")
      .type_name("FILE");
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return {command, [options] { quality(*options); }};
}

}  // namespace outrider::calibrate
