#include "calibrate/cli/drafter_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/report/ssd_report.h"
#include "calibrate/studies/ssd_study.h"

namespace outrider::calibrate {

cli::Command add_ssd(CLI::App& program) {
  auto options = std::make_shared<DrafterOptions>();
  cli::CommandOptions command(
      program, "ssd",
      "Measure a draft model's acceptance, and find its fastest draft lengths on this machine");
  command.formerly("draft");
  command.footer(
      "Nothing is decoded: the draft model reads the texts of the traces and draws, with their own "
      "noise, what it would draft in place of each token. A token outside its vocabulary counts as "
      "rejected; tokens in loops do not count.\n\n"
      "Examples:\n"
      "  calibrate ssd -m MODEL.gguf --data traces\n"
      "  calibrate ssd -m MODEL.gguf --data traces --draft SMALL.gguf --json -\n"
      "  calibrate ssd -m MODEL.gguf --data traces --plot lengths.svg\n");
  declare_drafter_flags(command, *options);
  declare_drafter_output(command, *options);
  declare_plot_flag(command, *options,
                    "speed-ups by draft length, as replayed and by a formula, as SVG");
  return study_command(command, options, [](DrafterOptions& given, Watch& watch) {
    run_drafter_study<SsdStudy>(given, watch, [](const SsdFindings& found) -> Shown {
      return {ssd_findings_text(found), ssd_findings_json(found), plot_of(found)};
    });
  });
}

}  // namespace outrider::calibrate
