#include "calibrate/answers/journal_of.h"
#include "calibrate/cli/study_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/journal_folder.h"
#include "calibrate/report/attribution_report.h"
#include "calibrate/studies/method_identity.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/cli/read_files.h"

namespace outrider::calibrate {
namespace {

struct AttributeOptions : StudyFlags {
  cli::TargetFlags target;
  AttributionStudy study;
  std::vector<std::string> spans;  // as written; none: the usual ones
  cli::MethodFlags method{"pld-plus-h"};
};

void attribute(AttributeOptions& options, Watch& watch) {
  AttributionStudy& study = options.study;
  cli::read_whole_numbers("--spans", options.spans, 1, 1 << 20, study.spans);
  const inference::TargetOptions of_target = target_options(options.target, options.quiet);
  const auto chosen = options.method.chosen(options.given);
  inference::Target target(of_target);
  chosen->copy_whole();
  const auto method = chosen->prepare({target.model(), target.engine(), options.files.folders});
  const MarkedAnswers given = marked_answers(study, target);
  ShownFiles files(options);
  data::Journal journal = journal_in(journal_folder(), "attribute", target, given.answers,
                                     method_identity(*chosen, target, options.files.folders));
  const auto scores = score_attribution(given, study, method, target, journal, watch);
  const std::size_t texts = given.answers.size();
  files.show(
      {attribution_text(scores, texts), attribution_json(scores, texts, study, method, target)});
  journal.remove();
}

}  // namespace

cli::Command add_attribute(CLI::App& program) {
  auto options = std::make_shared<AttributeOptions>();
  cli::CommandOptions command(program, "attribute",
                              "Score how well drafts attribute an answer to its prompt");
  command.footer(
      "The model reads the given answers (\"reference\"), whose marks [ N ... ] name the source of "
      "what they copy; \"Source N (title): text\" in the prompt is such a source. The drafts that "
      "agree with the answer say what was copied, and are compared with the marks. An interrupted "
      "run goes on when the same command is given again.\n\n"
      "Examples:\n"
      "  calibrate attribute -m MODEL.gguf --prompts quotesum.jsonl\n"
      "  calibrate attribute -m MODEL.gguf --prompts quotesum.jsonl --method pld-plus-a --json "
      "a.json\n");
  declare_model_flags(command, options->target.model, options->target.context);
  command.add_option("--prompts", options->study.prompts, "JSON lines with \"reference\" answers")
      .type_name("FILE")
      .reads(cli::prompts_at)
      .required();
  cli::declare_skip_refused_flag(command, options->study.skip_refused);
  command.add_list("--spans", options->spans,
                   "Shortest span in tokens, one score for each (default: 2 5 8)");
  command.add_option(
      "--instruction", options->study.instruction,
      "The text before the first source, instead of the prompt's own, which may ask for marks");
  declare_chat_flags(command, options->target);
  command.group("Method");
  options->method.declare_copying_method(command);
  // What is copied from elsewhere has no source in the prompt.
  options->method.declare_settings(command, {"reference"});
  declare_machine_flags(command, options->target.engine, options->study.prefill_chunk);
  declare_report_flags(command, *options, "scores");
  return study_command(command, options, attribute);
}

}  // namespace outrider::calibrate
