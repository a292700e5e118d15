#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "calibrate/studies/study_files.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/time_limit.h"

namespace outrider::calibrate {

/// The options of every command, as far as it declares their flags, and what is known of its run.
struct StudyFlags {
  StudyFiles files;    // but for the artifact, whose file the target tells
  std::string json;    // files for what is found; empty: none, "-": standard output
  std::string plot;    // as SVG
  double minutes = 0;  // that the command may take before it is interrupted; 0: any
  bool quiet = false;
  std::set<std::string> given;  // long names of the flags on the command line
  cli::TimeLimit limit;  // the minutes, and those of the command of which this one does a part
};

/// --shard. @param has_data  whether the texts are there; where they are not, it is refused
void declare_shard_flag(cli::CommandOptions& command, StudyFlags& flags,
                        std::function<bool()> has_data);
/// --json beside a text. @param what  is written: "figures"
void declare_json_flag(cli::CommandOptions& command, StudyFlags& flags, const std::string& what);
/// --plot. @param drawn  "the curves, as SVG"
void declare_plot_flag(cli::CommandOptions& command, StudyFlags& flags, const std::string& drawn);
/// --minutes and --quiet. @param what  is not shown with --quiet
void declare_end_flags(cli::CommandOptions& command, StudyFlags& flags,
                       const std::string& what = "progress");

/// Under "Options" --json, --minutes and --quiet. @param what  --json has: "figures"
void declare_report_flags(cli::CommandOptions& command, StudyFlags& flags, const std::string& what);

/// What a user is shown of a result.
struct Shown {
  std::string text;
  std::string json = {}, plot = {};  // for --json and --plot
};

/// The files of --json and --plot, which are tried before long work.
class ShownFiles {
 public:
  explicit ShownFiles(const StudyFlags& flags)
      : json_("--json", flags.json), plot_("--plot", flags.plot), resolved_(flags.files.resolved) {}
  /// Writes the files, and the text to standard output unless one of them is that. The JSON gets "version" and "options", of
  /// the program and of the run.
  void show(const Shown& shown);

 private:
  OutputFile json_, plot_;
  std::string resolved_;
};

/// Runs a command's work until its minutes are over or, with a share, as far as it can now; says what is next.
void run_study(const cli::CommandOptions& command, StudyFlags& flags,
               const std::function<void(Watch&)>& work);

/// A command that runs a study. @param options  StudyFlags and its own @param run  (options, watch)
template <typename Options, typename Run>
cli::Command study_command(const cli::CommandOptions& command,
                           const std::shared_ptr<Options>& options, Run run) {
  return {command,
          [=] { run_study(command, *options, [&](Watch& watch) { run(*options, watch); }); },
          [=](const std::string& resolved) { options->files.resolved = resolved; },
          [=](const cli::TimeLimit& whole) { options->limit = whole; }};
}

}  // namespace outrider::calibrate
