#include "calibrate/commands/result_options.h"

#include "runtime/artifacts/artifact_set.h"
#include "runtime/base/opened_files.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/notices.h"

namespace outrider::calibrate {

void declare_result_flags(cli::CommandOptions& command, ResultOptions& options) {
  command
      .add_option(
          "--artifacts", options.artifacts,
          "Artifact file to write to; only this command's results in it change (default: a file "
          "for this command in checkpoints/, or in the given folder)")
      .type_name("FILE")
      .brief("File to write to (default: one in checkpoints/)");
}

std::filesystem::path result_file(const ResultOptions& options,
                                  const artifacts::TargetIdentity& target,
                                  const std::string& group) {
  return artifacts::claim_file_to_write(options.artifacts, target, group);
}

std::string artifacts_to_read(const ResultOptions& options,
                              const artifacts::TargetIdentity& target) {
  check_output_file("--artifacts", options.artifacts);
  return artifacts::file_to_read(options.artifacts, target);
}

artifacts::ArtifactSet known_artifacts(const ResultOptions& options,
                                       const artifacts::TargetIdentity& target) {
  artifacts::ArtifactSet known(target, artifacts_to_read(options, target));
  cli::tell_refused(known);
  return known;
}

std::filesystem::path write_result(const ResultOptions& options,
                                   const artifacts::TargetIdentity& target,
                                   const std::string& group, const std::string& command,
                                   std::uint64_t seed, const std::string& traces,
                                   const artifacts::FillGroup& fill) {
  std::filesystem::path path = result_file(options, target, group);
  artifacts::replace_group(path, target, group, {command, options.resolved, seed, traces, {}, {}},
                           fill);
  return path;
}

}  // namespace outrider::calibrate
