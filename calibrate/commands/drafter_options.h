#pragma once

#include <optional>
#include <string>

#include "calibrate/commands/answers.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/studies/drafter_study.h"
#include "runtime/base/output.h"
#include "runtime/base/record_file.h"
#include "runtime/cli/shown_watch.h"

namespace outrider::calibrate {

/// The options of every command that calibrates a draft model or another drafter with a model.
struct DrafterOptions {
  cli::TargetFlags target;
  DrafterStudyOptions study;  // but for its files, which are those of the result
  std::string json;
  bool quiet = false;
  ResultOptions result;
};

/// Declares the flags of the two models, the traces and the artifacts.
/// @param of_parallel  the description of --draft where it is a parallel drafter's; empty: it is a draft model's
void declare_drafter_flags(cli::CommandOptions& command, DrafterOptions& options,
                           const std::string& of_parallel = "");
/// Declares --positions, of which texts are recorded. @param recorded  what is: "trees"
void declare_positions_flag(cli::CommandOptions& command, int& positions,
                            const std::string& recorded);
/// Declares those of the machine and of the output.
void declare_drafter_output(cli::CommandOptions& command, DrafterOptions& options);

/// Runs a study of a drafter and prints what it finds.
/// @param name   "calibrate draft"
/// @param begin  (target, drafter's options, watch) -> the study, which has read all that it is about
/// @param show   (the study, JSON file): prints what it found
template <typename Begin, typename Show>
void run_drafter_study(const std::string& name, const DrafterOptions& given, const Begin& begin,
                       const Show& show) {
  cli::ShownWatch watch(name, given.result.limit, given.quiet);
  inference::Target target(target_of_traces(given.target, given.study.data, given.quiet));
  watch.listen();
  DrafterStudyOptions options = given.study;
  options.files = files_of(given.result, {});
  auto study = begin(target, options, watch);
  RecordFile json("--json", given.json);  // after all that is read, which it must not empty
  show(study, json);
}

}  // namespace outrider::calibrate
