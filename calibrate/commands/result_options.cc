#include "calibrate/commands/result_options.h"

#include <string>
#include <utility>

#include "data/journal/part_done.h"
#include "runtime/base/output.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/read_files.h"
#include "runtime/cli/shown_notices.h"

namespace outrider::calibrate {

void declare_result_flags(cli::CommandOptions& command, ResultOptions& options) {
  options.folders = cli::artifact_folders();
  command
      .add_option(
          "--artifacts", options.artifacts,
          "Artifact file to write to; only this command's results in it change (default: a file "
          "for this command in checkpoints/, or in the given folder)")
      .type_name("FILE")
      .reads(cli::artifacts_at)
      .updates(cli::updated_at)
      .brief("File to write to (default: one in checkpoints/)");
}

void declare_shard_flag(cli::CommandOptions& command, ResultOptions& options,
                        std::function<bool()> has_data) {
  command
      .add_option("--shard", options.shard,
                  "Do part I of N of the work on --data, for several processes; auto: as in `data "
                  "traces`. Then the command without it writes the result")
      .type_name("I/N")
      .rare();
  command.refuse_unless({"shard"}, std::move(has_data),
                        "only with --data: `data traces --shard` makes the texts in parts");
}

StudyFiles files_of(const ResultOptions& options, const std::filesystem::path& artifact) {
  return {artifact, options.artifacts, options.resolved, options.shard, options.folders};
}

void run_share(ResultOptions& options, const std::function<void()>& run) {
  options.limit = cli::TimeLimit(options.minutes).within(options.limit);
  cli::keep_to(options.limit, [&] {
    try {
      run();
    } catch (const data::PartDone& done) {
      write_output(std::string(done.what()) + "\n");
    }
  });
}

std::filesystem::path result_file(const ResultOptions& options,
                                  const artifacts::TargetIdentity& target,
                                  const std::string& group) {
  return artifacts::checked_file_to_write(options.artifacts, options.folders, target, group);
}

StudyFiles study_files(const ResultOptions& options, const model::Model& model,
                       const std::string& group) {
  return files_of(options, result_file(options, artifacts::identity_of(model), group));
}

std::string artifacts_to_read(const ResultOptions& options,
                              const artifacts::TargetIdentity& target) {
  return artifacts::file_to_read(options.artifacts, target);
}

artifacts::ArtifactSet known_artifacts(const ResultOptions& options,
                                       const artifacts::TargetIdentity& target) {
  artifacts::ArtifactSet known(target, artifacts_to_read(options, target), options.folders);
  cli::tell_refused(known);
  return known;
}

}  // namespace outrider::calibrate
