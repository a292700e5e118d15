#include "calibrate/commands/copy_study_command.h"

#include <fmt/core.h>

#include <memory>

#include "calibrate/commands/answers.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/shown_watch.h"

namespace outrider::calibrate {
namespace {

struct CopyStudyOptions {
  AnswerOptions answers;
  int draft_length = methods::kDraftLength;
  std::string plot;
  ResultOptions result;
};

void run_study(const CopyStudyCommand& study, const CopyStudyOptions& options) {
  cli::ShownWatch watch(fmt::format("calibrate {}", study.name), options.result.limit,
                        options.answers.quiet);
  inference::Target target(
      target_of_traces(options.answers.target, options.answers.data, options.answers.quiet));
  watch.listen();
  const StudyFiles files = study_files(options.result, target.model(), study.group);
  check_answer_source(target, options.answers);
  OutputFile plot("--plot", options.plot);
  const ShownStudy found =
      study.find(target, {options.answers.source(), options.draft_length, files}, watch);
  plot.write_all(found.plot);
  if (!plot.is_standard_output()) write_output(found.text);
  watch.inform("written to " + files.artifact.string());
}

}  // namespace

cli::Command add_copy_study(CLI::App& program, const CopyStudyCommand& study) {
  auto options = std::make_shared<CopyStudyOptions>();
  options->answers.samples = study.samples;
  cli::CommandOptions command(program, study.name, study.description);
  command.footer(study.footer);
  declare_answer_flags(command, options->answers);
  command
      .add_option("--draft-length", options->draft_length,
                  fmt::format("Tokens of a draft when {} are compared", study.compared))
      .check(cli::whole_number(1, 256));
  command.add_option("--plot", options->plot, fmt::format("Also draw {}, as SVG", study.plotted))
      .type_name("FILE")
      .writes();
  declare_result_flags(command, options->result);
  declare_shard_flag(command, options->result,
                     [options] { return !options->answers.data.empty(); });
  cli::declare_minutes_flag(command, options->result.minutes);
  return answer_command(command, options,
                        [study](const CopyStudyOptions& given) { run_study(study, given); });
}

}  // namespace outrider::calibrate
