#include "calibrate/cli/study_command.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "data/journal/part_done.h"
#include "runtime/base/build_name.h"
#include "runtime/base/output.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/config_file.h"
#include "runtime/cli/shown_watch.h"

namespace outrider::calibrate {
namespace {

/// An object of JSON that begins with how it was made: by all options that change what is found.
std::string with_run(const std::string& object, const std::string& options) {
  if (object.empty()) return object;
  return fmt::format(
      "{{\"version\":{},\"options\":{},{}", nlohmann::json(code_version()).dump(),
      nlohmann::json(cli::without(options, {"json", "plot", "minutes", "quiet"})).dump(),
      object.substr(1));
}

}  // namespace

void declare_shard_flag(cli::CommandOptions& command, StudyFlags& flags,
                        std::function<bool()> has_data) {
  command
      .add_option("--shard", flags.files.shard,
                  "Do part I of N of the work on --data, for several processes; auto: as in `data "
                  "traces`. Then the command without it writes the result")
      .type_name("I/N")
      .rare();
  command.refuse_unless({"shard"}, std::move(has_data),
                        "only with --data: `data traces --shard` makes the texts in parts");
}

void declare_json_flag(cli::CommandOptions& command, StudyFlags& flags, const std::string& what) {
  command
      .add_option(
          "--json", flags.json,
          fmt::format("Also write the {} to this file; - is standard output, instead of the text",
                      what))
      .type_name("FILE")
      .writes();
}

void declare_plot_flag(cli::CommandOptions& command, StudyFlags& flags, const std::string& drawn) {
  command.add_option("--plot", flags.plot, "Also draw " + drawn).type_name("FILE").writes();
}

void declare_end_flags(cli::CommandOptions& command, StudyFlags& flags, const std::string& what) {
  cli::declare_minutes_flag(command, flags.minutes);
  command.add_flag("--quiet", flags.quiet, fmt::format("No {} on standard error", what));
}

void declare_report_flags(cli::CommandOptions& command, StudyFlags& flags,
                          const std::string& what) {
  command.group("Options");
  declare_json_flag(command, flags, what);
  declare_end_flags(command, flags);
}

void ShownFiles::show(const Shown& shown) {
  json_.write_all(with_run(shown.json, resolved_));
  plot_.write_all(shown.plot);
  if (!json_.is_standard_output() && !plot_.is_standard_output()) write_output(shown.text);
}

void run_study(const cli::CommandOptions& command, StudyFlags& flags,
               const std::function<void(Watch&)>& work) {
  flags.given = command.given();
  flags.files.folders = cli::artifact_folders();
  flags.limit = cli::TimeLimit(flags.minutes).within(flags.limit);
  cli::keep_to(flags.limit, [&] {
    try {
      cli::ShownWatch watch("calibrate " + command.name(), flags.limit, flags.quiet);
      work(watch);
    } catch (const data::PartDone& done) {
      write_output(std::string(done.what()) + "\n");
    }
  });
}

}  // namespace outrider::calibrate
