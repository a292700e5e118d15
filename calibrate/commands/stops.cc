#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "calibrate/commands/commands.h"
#include "calibrate/report/stop_report.h"
#include "calibrate/studies/read_stop_study.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/cli/command_options.h"

namespace outrider::calibrate {
namespace {

/// What two studies have to share.
std::string kind_of(const study::StopStudy& study) {
  std::string kind =
      fmt::format("temperature {}, verification {}, policies", study.temperature, study.verify);
  for (const study::StopCell& cell : study.cells) kind += " " + cell.name;
  return kind;
}

void summarise(const std::vector<std::string>& files) {
  std::vector<study::StopStudy> studies;
  for (const std::string& file : files) {
    studies.push_back(read_stop_study(file));
    const std::string expected = kind_of(studies.front()), found = kind_of(studies.back());
    if (found != expected)
      throw InputError(fmt::format("{}: expected a study like {} ({}), found {}", file,
                                   files.front(), expected, found));
  }
  write_output(summary_text(studies));
}

}  // namespace

cli::Command add_stops(CLI::App& program) {
  auto files = std::make_shared<std::vector<std::string>>();
  cli::CommandOptions command(program, "stops",
                              "Summarise studies of stop policies on several sets of prompts");
  command.add_list("STUDY", *files, "Files that `calibrate bench --stops --json` wrote").required();
  command.footer(
      "Each study counts the same, and so does every token within one. Intervals are of 95 %, by a "
      "paired\nbootstrap over the texts of each study.\n\n"
      "Examples:\n"
      "  calibrate stops code.json chat.json");
  return {command, [files] { summarise(*files); }};
}

}  // namespace outrider::calibrate
