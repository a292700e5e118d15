#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "calibrate/studies/study_files.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/time_limit.h"

namespace outrider::calibrate {

/// The result options of every `calibrate` command, and the record stored with the result.
struct ResultOptions {
  std::string artifacts;       // a file, or a folder for one; empty: one of the folders
  artifacts::Folders folders;  // of artifacts that are not named
  std::string resolved;        // all options as TOML; set by Command::resolved
  double minutes = 0;          // that a command may take before it is interrupted; 0: any
  cli::TimeLimit limit;        // these, and those of the command of which this one does a part
  std::string shard;           // of the study's work; empty: all of it
};

/// Declares --artifacts.
void declare_result_flags(cli::CommandOptions& command, ResultOptions& options);

/// Declares --shard. @param has_data  whether the texts are there; where they are not, it is refused
void declare_shard_flag(cli::CommandOptions& command, ResultOptions& options,
                        std::function<bool()> has_data);

/// Where a study writes to. @param artifact  StudyFiles::artifact
StudyFiles files_of(const ResultOptions& options, const std::filesystem::path& artifact);
/// Runs a command to its end or, with a share, as far as it can now; says what is next. Its minutes begin.
void run_share(ResultOptions& options, const std::function<void()>& run);

/// A command that writes a result, and is interrupted after its minutes. @param options  with a member `result`
template <typename Options, typename Run>
cli::Command result_command(const cli::CommandOptions& command,
                            const std::shared_ptr<Options>& options, Run run) {
  return {command, [options, run] { run_share(options->result, [&] { run(*options); }); },
          [options](const std::string& resolved) { options->result.resolved = resolved; },
          [options](const cli::TimeLimit& whole) { options->result.limit = whole; }};
}

/// The file that a group is to be written to, checked before long work.
/// @throws InputError when the file exists and was made for another target
std::filesystem::path result_file(const ResultOptions& options,
                                  const artifacts::TargetIdentity& target,
                                  const std::string& group);

/// Where a study writes a group of the target, which is checked before long work.
/// @throws InputError as result_file
StudyFiles study_files(const ResultOptions& options, const model::Model& model,
                       const std::string& group);

/// Results of earlier commands, found in the same way as decoding with the same --artifacts; empty
/// where there are none yet.
std::string artifacts_to_read(const ResultOptions& options,
                              const artifacts::TargetIdentity& target);
artifacts::ArtifactSet known_artifacts(const ResultOptions& options,
                                       const artifacts::TargetIdentity& target);

}  // namespace outrider::calibrate
