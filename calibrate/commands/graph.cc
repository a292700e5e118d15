#include <memory>

#include "calibrate/commands/commands.h"
#include "calibrate/commands/drafter_options.h"
#include "calibrate/report/graph_plot.h"
#include "calibrate/report/graph_report.h"
#include "runtime/base/output_file.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kGraphExamples =
    "Nothing is decoded: at positions of the traces the draft model's tree is recorded down to "
    "the\n"
    "smallest probability, and every setting is replayed on these trees by the code that drafts: "
    "k, both\n"
    "thetas, tau, steps, nodes, --min-path. Times are those of passes on this machine. One child "
    "a node is\n"
    "a chain, which may be the fastest. Some five minutes for the defaults and two "
    "temperatures.\n\n"
    "Examples:\n"
    "  calibrate graph -m MODEL.gguf --data traces\n"
    "  calibrate graph -m MODEL.gguf --data traces --positions 500 --plot sweep.svg --json -\n";

struct GraphOptions : DrafterOptions {
  GraphStudyOptions graphs;
  std::string plot;
};

void run_graph(const GraphOptions& given) {
  run_drafter_study(
      "calibrate graph", given,
      [&](inference::Target& target, const DrafterStudyOptions& options, Watch& watch) {
        return GraphStudy(target, options, given.graphs, watch);
      },
      [&](GraphStudy& study, RecordFile& json) {
        OutputFile plot("--plot", given.plot);
        const GraphFindings found = study.run();
        json.write(graph_findings_json(found));
        plot.write_all(plot_of(found));
        if (given.json != "-" && !plot.is_standard_output())
          write_output(graph_findings_text(found));
      });
}

}  // namespace

cli::Command add_graph(CLI::App& program) {
  auto options = std::make_shared<GraphOptions>();
  cli::CommandOptions command(
      program, "graph",
      "Find the fastest trees and graphs of a draft model on this machine, for tsd and gsd");
  command.footer(kGraphExamples);
  declare_drafter_flags(command, *options);
  command.group("Recorded trees");
  declare_positions_flag(command, options->graphs.positions, "trees");
  RecordingLimits& recording = options->graphs.recording;
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
  command
      .add_option("--plot", options->plot,
                  "Also draw tokens per pass and drafted nodes against the settings, as SVG; - is "
                  "standard output")
      .type_name("FILE")
      .writes();
  return result_command(command, options, run_graph);
}

}  // namespace outrider::calibrate
