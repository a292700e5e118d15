#include <fmt/core.h>

#include "calibrate/cli/study_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/studies/add_trials.h"
#include "calibrate/studies/merge_work.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"

namespace outrider::calibrate {
namespace {

struct MergeOptions : StudyFlags {
  std::vector<std::string> more;  // artifact files whose trials are added
};

void add(const MergeOptions& options) {
  const StudyFiles& files = options.files;
  for (const AddedTrials& one : add_trials(files.artifacts, options.more, files.resolved))
    write_output(fmt::format("{}: temperature {:g}: {} settings at {} positions\n", one.group,
                             one.temperature, one.settings, one.positions));
}

void merge(const MergeOptions& options, Watch& /*watch*/) {
  if (!options.more.empty()) return add(options);
  const MergedWork merged = merge_work(options.files.artifacts);
  write_output(merged.text);
  if (merged.unfinished > 0)
    throw CheckFailed(fmt::format("{}: parts are not finished of {} of {}", options.files.artifacts,
                                  merged.unfinished, merged.stages));
}

}  // namespace

cli::Command add_merge(CLI::App& program) {
  auto options = std::make_shared<MergeOptions>();
  cli::CommandOptions command(program, "merge", "Join the parts of a study that --shard divided");
  command
      .add_option("FILE", options->files.artifacts,
                  "The artifact file that the results go to, which need not be there yet")
      .required();
  command
      .add_list("--add", options->more,
                "Artifact files with trials on other texts, which are added to those of the file")
      .type_name("FILE");
  command.footer(
      "Each process with --shard writes its part beside the artifact file, such as "
      "mine.h5.heads-counted.2-of-3.part. This command joins the parts of every stage whose parts "
      "have all finished, and names those that have not; it needs no model. Then run the study "
      "again: with --shard if it has another stage to divide, without it to write the result, "
      "which is that of one process. Machines without a common file system first copy their files "
      "*.part to one folder.\n\n"
      "With --add, what studies tried of methods (/trials) on other texts is added to what they "
      "tried on these: the counts of settings that were tried on both.\n\n"
      "Examples:\n"
      "  calibrate merge mine.h5\n"
      "  calibrate merge mine.h5 --add yours.h5 theirs.h5\n");
  return study_command(command, options, merge);
}

}  // namespace outrider::calibrate
