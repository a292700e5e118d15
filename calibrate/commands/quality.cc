#include "calibrate/answers/journal_of.h"
#include "calibrate/cli/study_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/journal_folder.h"
#include "calibrate/report/quality_report.h"
#include "runtime/base/interrupted.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/cli/read_files.h"

namespace outrider::calibrate {
namespace {

struct QualityOptions : StudyFlags {
  cli::TargetFlags target;
  QualityStudy study;
};

void quality(const QualityOptions& options, Watch& watch) {
  inference::Target target(target_options(options.target, options.quiet));
  cli::EngineFlags exact = options.target.engine;
  exact.numerics = "f32";
  exact.quantise = "none";
  exact.kv = "auto";
  QualityRun run(target, cli::engine_options(exact, options.quiet), options.study, watch);
  ShownFiles files(options);
  data::Journal journal = journal_in(journal_folder(), "quality", target, run.texts(), "");
  const FoundQuality found = run.run(journal);
  if (found.quality.tokens > 0)
    files.show(
        {quality_text(found, options.study, target), quality_json(found, options.study, target)});
  if (found.interrupted) throw Interrupted();
  journal.remove();
}

}  // namespace

cli::Command add_quality(CLI::App& program) {
  auto options = std::make_shared<QualityOptions>();
  cli::TargetFlags& target = options->target;
  cli::CommandOptions command(program, "quality",
                              "Compare quantised arithmetic with f32 on given answers");
  command.footer(
      "The model reads the given answers (\"reference\") of prompts of one turn, once with the "
      "given flags and once with --numerics f32, and its distributions at every token are "
      "compared. An interrupted run tells what it found so far, and goes on when the same command "
      "is given again.\n\n"
      "Examples:\n"
      "  calibrate quality -m MODEL.gguf --prompts PROMPTS.jsonl\n"
      "  calibrate quality -m F16.gguf --quantise q8_0 --prompts a.jsonl b.jsonl --tokens 10000 "
      "--json quality.json");
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
  declare_report_flags(command, *options, "figures");
  return study_command(command, options, quality);
}

}  // namespace outrider::calibrate
