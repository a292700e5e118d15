#pragma once

#include <string>

#include "calibrate/cli/answer_command.h"
#include "calibrate/studies/drafter_study.h"

namespace outrider::calibrate {

/// The options of every command that calibrates a draft model or another drafter with a model.
struct DrafterOptions : StudyFlags {
  cli::TargetFlags target;
  DrafterStudyOptions study;  // but for its files
};

/// Declares the flags of the two models, the traces and the artifacts.
/// @param of_head  the description of --draft where it is a parallel drafter's; empty: it is a draft model's
void declare_drafter_flags(cli::CommandOptions& command, DrafterOptions& options,
                           const std::string& of_head = "");
/// Declares --positions, of which texts are recorded. @param recorded  what is: "trees"
void declare_positions_flag(cli::CommandOptions& command, int& positions,
                            const std::string& recorded);
/// Declares those of the machine and of the output.
void declare_drafter_output(cli::CommandOptions& command, DrafterOptions& options);

/// Runs a study of a drafter and shows what it finds.
/// @param shown  of the study's findings
/// @param own    options of the study
template <typename Study, typename Show, typename... Own>
void run_drafter_study(DrafterOptions& given, Watch& watch, const Show& shown, const Own&... own) {
  inference::Target target(target_of_traces(given.target, given.study.data, given.quiet));
  watch.listen();
  given.study.files = given.files;
  Study study(target, given.study, own..., watch);
  ShownFiles files(given);  // after all that is read, which it must not empty
  files.show(shown(study.run()));
}

}  // namespace outrider::calibrate
