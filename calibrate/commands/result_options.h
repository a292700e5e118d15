#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/time_limit.h"

namespace outrider::calibrate {

/// The result options of every `calibrate` command, and the record stored with the result.
struct ResultOptions {
  std::string artifacts;  // a file, or a folder for one; empty: checkpoints/
  std::string resolved;   // all options as TOML; set by Command::resolved
  double minutes = 0;     // that a command may take before it is interrupted; 0: any
};

/// Declares --artifacts.
void declare_result_flags(cli::CommandOptions& command, ResultOptions& options);

/// A command that writes a result, and is interrupted after its minutes. @param options  with a member `result`
template <typename Options, typename Run>
cli::Command result_command(const cli::CommandOptions& command,
                            const std::shared_ptr<Options>& options, Run run) {
  return {command,
          [options, run] { cli::keep_to(options->result.minutes, [&] { run(*options); }); },
          [options](const std::string& resolved) { options->result.resolved = resolved; }};
}

/// The file that `write_result` will write a group to, for a check before long work.
/// @throws InputError when the file exists and was made for another target
std::filesystem::path result_file(const ResultOptions& options,
                                  const artifacts::TargetIdentity& target,
                                  const std::string& group);

/// Results of earlier commands, found in the same way as decoding with the same --artifacts; empty
/// where there are none yet.
std::string artifacts_to_read(const ResultOptions& options,
                              const artifacts::TargetIdentity& target);
artifacts::ArtifactSet known_artifacts(const ResultOptions& options,
                                       const artifacts::TargetIdentity& target);

/// Writes a command's group into an artifact file of the model.
/// @param command  "calibrate ngrams"
/// @param traces   the identity of the traces that it was made from; empty: none
/// @return the file
std::filesystem::path write_result(const ResultOptions& options,
                                   const artifacts::TargetIdentity& target,
                                   const std::string& group, const std::string& command,
                                   std::uint64_t seed, const std::string& traces,
                                   const artifacts::FillGroup& fill);

}  // namespace outrider::calibrate
