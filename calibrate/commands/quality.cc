#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "calibrate/answers/journal_of.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/journal_folder.h"
#include "calibrate/studies/quality_study.h"
#include "runtime/base/interrupted.h"
#include "runtime/base/json_text.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/cli/target_flags.h"
#include "runtime/cli/time_limit.h"
#include "runtime/report/sheet.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kQualityExamples =
    "The model reads the given answers (\"reference\") of prompts of one turn, once with the "
    "given flags\n"
    "and once with --numerics f32, and its distributions at every token are compared. An "
    "interrupted run tells\n"
    "what it found so far, and goes on when the same command is given again.\n\n"
    "Examples:\n"
    "  calibrate quality -m MODEL.gguf --prompts PROMPTS.jsonl\n"
    "  calibrate quality -m F16.gguf --quantise q8_0 --prompts a.jsonl b.jsonl --tokens 10000 "
    "--json "
    "quality.json";

struct QualityOptions {
  cli::TargetFlags target;
  QualityStudy study;
  std::string json;
  double minutes = 0;
  bool quiet = false;
};

std::string json_of(const FoundQuality& found, const QualityOptions& options,
                    const inference::Target& target) {
  const study::Quality& q = found.quality;
  const auto n = static_cast<double>(q.tokens);
  const nlohmann::ordered_json json = {{"model", options.target.model},
                                       {"prompts", options.study.prompts},
                                       {"numerics", target.engine().numerics_name()},
                                       {"interrupted", found.interrupted},
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

std::string text_of(const FoundQuality& found, const QualityOptions& options,
                    const inference::Target& target) {
  const study::Quality& q = found.quality;
  const auto n = static_cast<double>(q.tokens);
  report::Sheet sheet;
  sheet.add("model", options.target.model);
  sheet.add("numerics", target.engine().numerics_name() + ", against f32");
  sheet.add("scored", fmt::format("{} tokens of the answers in {}", report::grouped(q.tokens),
                                  fmt::join(options.study.prompts, ", ")));
  sheet.add("perplexity",
            fmt::format("{:.4f}, f32 {:.4f}: {:+.3f} % (standard error {:.3f} %)", q.perplexity(),
                        q.reference_perplexity(), 100 * q.perplexity_change(),
                        100 * q.perplexity_change_error()));
  sheet.add("divergence", fmt::format("{:.3g} nats a token, {:.3g} at most", q.divergence / n,
                                      q.worst_divergence));
  sheet.add("same best",
            fmt::format("{:.2f} % of positions", 100 * static_cast<double>(q.same_best) / n));
  if (found.interrupted) sheet.add("interrupted", "fewer tokens than requested");
  return sheet.text();
}

void quality(const QualityOptions& options, const cli::TimeLimit& limit) {
  cli::ShownWatch watch("calibrate quality", limit, options.quiet);
  inference::Target target(target_options(options.target, options.quiet));
  cli::EngineFlags exact = options.target.engine;
  exact.numerics = "f32";
  exact.quantise = "none";
  exact.kv = "auto";
  QualityRun run(target, cli::engine_options(exact, options.quiet), options.study, watch);
  OutputFile json("--json", options.json);
  data::Journal journal = journal_in(journal_folder(), "quality", target, run.texts(), "");
  const FoundQuality found = run.run(journal);
  if (found.quality.tokens > 0) {
    json.write_all(json_of(found, options, target));
    if (!json.is_standard_output()) write_output(text_of(found, options, target));
  }
  if (found.interrupted) throw Interrupted();
  journal.remove();
}

}  // namespace

cli::Command add_quality(CLI::App& program) {
  auto options = std::make_shared<QualityOptions>();
  cli::TargetFlags& target = options->target;
  cli::CommandOptions command(program, "quality",
                              "Compare quantised arithmetic with f32 on given answers");
  command.footer(kQualityExamples);
  declare_model_flags(command, target.model, target.context);
  command
      .add_list("--prompts", options->study.prompts, "JSON lines files with \"reference\" answers")
      .type_name("FILE...")
      .reads(cli::prompts_at)
      .required();
  cli::declare_skip_refused_flag(command, options->study.skip_refused);
  command
      .add_option("--tokens", options->study.tokens,
                  "Tokens of answers to score, from the files in turn")
      .check(cli::whole_number(1, 1'000'000'000));
  declare_chat_flags(command, target);
  declare_machine_flags(command, target.engine);
  command.group("Options");
  command
      .add_option("--json", options->json,
                  "Also write the figures to this file; - is standard output, instead of the text")
      .type_name("FILE")
      .writes();
  cli::declare_minutes_flag(command, options->minutes);
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return {command, [options] {
            const cli::TimeLimit limit(options->minutes);
            cli::keep_to(limit, [&] { quality(*options, limit); });
          }};
}

}  // namespace outrider::calibrate
