#include "calibrate/cli/drafter_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/report/gsd_plot.h"
#include "calibrate/report/gsd_report.h"
#include "calibrate/studies/gsd_study.h"

namespace outrider::calibrate {
namespace {

struct GsdOptions : DrafterOptions {
  GsdStudyOptions study;
};

void run_gsd(GsdOptions& given, Watch& watch) {
  const auto shown = [](const GsdFindings& found) -> Shown {
    return {gsd_findings_text(found), gsd_findings_json(found), plot_of(found)};
  };
  run_drafter_study<GsdStudy>(given, watch, shown, given.study);
}

}  // namespace

cli::Command add_gsd(CLI::App& program) {
  auto options = std::make_shared<GsdOptions>();
  cli::CommandOptions command(
      program, "gsd",
      "Find the fastest trees and graphs of a draft model on this machine, for tsd and gsd");
  command.formerly("graph");
  command.footer(
      "Nothing is decoded: at positions of the traces the draft model's tree is recorded down to "
      "the smallest probability, and every setting is replayed on these trees by the code that "
      "drafts: k, both thetas, tau, steps, nodes, --min-path. Times are those of passes on this "
      "machine. One child a node is a chain, which may be the fastest. Some five minutes for the "
      "defaults and two temperatures.\n\n"
      "Examples:\n"
      "  calibrate gsd -m MODEL.gguf --data traces\n"
      "  calibrate gsd -m MODEL.gguf --data traces --positions 500 --plot sweep.svg --json -\n");
  declare_drafter_flags(command, *options);
  command.group("Recorded trees");
  declare_positions_flag(command, options->study.positions, "trees");
  RecordingLimits& recording = options->study.recording;
  command.add_option("--children", recording.children, "Most children of a node that are tried")
      .check(cli::whole_number(2, 16))
      .rare();
  command.add_option("--steps", recording.steps, "Most levels that are tried")
      .check(cli::whole_number(1, 16))
      .rare();
  command
      .add_option("--prune-probability", recording.probability,
                  "The least draft probability of an expanded node that is tried")
      .check(cli::real_number(0, 1))
      .rare();
  command
      .add_option("--tree-nodes", recording.nodes,
                  "Most nodes of a recorded tree; larger ones lack their least probable paths")
      .check(cli::whole_number(16, 2048))
      .rare();
  declare_drafter_output(command, *options);
  declare_plot_flag(
      command, *options,
      "tokens per pass and drafted nodes against the settings, as SVG; - is standard output");
  return study_command(command, options, run_gsd);
}

}  // namespace outrider::calibrate
