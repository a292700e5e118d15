#include "calibrate/commands/copy_study_command.h"

#include <fmt/core.h>

#include <memory>

namespace outrider::calibrate {
namespace {

struct CopyStudyOptions {
  AnswerOptions answers;
  int draft_length = methods::kDraftLength;
  std::string plot;
  ResultOptions result;
};

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
  return answer_command(command, options, [study](const CopyStudyOptions& given) {
    show_study(fmt::format("calibrate {}", study.name), given.answers, given.result, study.group,
               given.plot,
               [&](inference::Target& target, const AnswerSource& answers, const StudyFiles& files,
                   Watch& watch) {
                 return study.find(target, {answers, given.draft_length, files}, watch);
               });
  });
}

}  // namespace outrider::calibrate
