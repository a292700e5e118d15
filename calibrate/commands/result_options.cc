#include "calibrate/commands/result_options.h"

#include "runtime/artifacts/find_artifact.h"
#include "runtime/base/opened_files.h"
#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

void declare_result_flags(CommandOptions& command, ResultOptions& options) {
  command
      .add_option(
          "--artifacts", options.artifacts,
          "Artifact file to write to; only this command's results in it change (default: the "
          "one in checkpoints/ that was made for the model, or a new one there)")
      .type_name("FILE");
}

std::filesystem::path result_file(const ResultOptions& options,
                                  const artifacts::TargetIdentity& target) {
  std::filesystem::path path = artifacts::artifact_to_write(options.artifacts, target);
  claim_update("--artifacts", path);
  if (std::filesystem::exists(path)) artifacts::ArtifactFile(path).check_made_for(target);
  return path;
}

std::filesystem::path write_result(const ResultOptions& options,
                                   const artifacts::TargetIdentity& target,
                                   const std::string& group, const std::string& command,
                                   std::uint64_t seed, const std::string& traces,
                                   const artifacts::FillGroup& fill) {
  std::filesystem::path path = result_file(options, target);
  artifacts::replace_group(path, target, group, {command, options.resolved, seed, traces, {}, {}},
                           fill);
  return path;
}

}  // namespace outrider::calibrate
