#include "calibrate/commands/commands.h"
#include "calibrate/report/stop_report.h"
#include "calibrate/studies/read_stop_study.h"
#include "runtime/base/output.h"

namespace outrider::calibrate {

cli::Command add_stops(CLI::App& program) {
  auto files = std::make_shared<std::vector<std::string>>();
  cli::CommandOptions command(program, "stops",
                              "Summarise studies of stop policies on several sets of prompts");
  command.add_list("STUDY", *files, "Files that `calibrate bench --stops --json` wrote").required();
  command.footer(
      "Each study counts the same, and so does every token within one. Intervals are of 95 %, by a "
      "paired bootstrap over the texts of each study.\n\n"
      "Examples:\n"
      "  calibrate stops code.json chat.json");
  return {command, [files] { write_output(summary_text(read_stop_studies(*files))); }};
}

}  // namespace outrider::calibrate
