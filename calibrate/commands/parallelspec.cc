#include <fmt/format.h>

#include "calibrate/cli/drafter_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/report/parallelspec_report.h"
#include "calibrate/studies/parallelspec_study.h"

namespace outrider::calibrate {
namespace {

struct ParallelSpecOptions : DrafterOptions {
  std::string flavour = "eagle";
  ParallelSpecStudyOptions trees;  // but for the flavour
};

void run_parallelspec(ParallelSpecOptions& given, Watch& watch) {
  given.trees.flavour = draft::flavour_named(given.flavour).value();
  const auto shown = [](const ParallelSpecFindings& found) -> Shown {
    return {parallelspec_findings_text(found), parallelspec_findings_json(found)};
  };
  run_drafter_study<ParallelSpecStudy>(given, watch, shown, given.trees);
}

}  // namespace

cli::Command add_parallelspec(CLI::App& program) {
  auto options = std::make_shared<ParallelSpecOptions>();
  cli::CommandOptions command(program, "parallelspec",
                              "Find the fastest trees and chains of a parallel drafter on this "
                              "machine, for parallelspec-*, eagle-ar and medusa-heads");
  command.formerly("tree");
  command.footer(
      "Nothing is decoded: the drafter's best tokens of each depth are recorded at positions of "
      "the traces, ranked with the noise that decoding draws with, and the code that drafts "
      "replays trees on them: children by depth (--tree), depths (--draft-length), "
      "--draft-threshold. A tree grows by what adds the most accepted tokens per node; times are "
      "those of passes on this machine. A chain may be the fastest.\n\n"
      "Examples:\n"
      "  calibrate parallelspec -m MODEL.gguf --data traces\n"
      "  calibrate parallelspec -m MODEL.gguf --data traces --flavour medusa --positions 2000 "
      "--json -\n");
  declare_drafter_flags(command, *options,
                        "An artifact file with the drafter; what is found is used where decoding "
                        "is given the same (default: that of the artifacts)");
  command.group("Recorded drafts");
  command
      .add_option(
          "--flavour", options->flavour,
          fmt::format("The flavour of the drafter: {}", fmt::join(draft::flavour_names(), ", ")))
      .check(cli::one_of(draft::flavour_names()));
  declare_positions_flag(command, options->trees.positions, "drafts");
  ParallelSpecLimits& limits = options->trees.limits;
  command.add_option("--children", limits.children, "Most children of a node that are tried")
      .check(cli::whole_number(1, 64));
  command
      .add_option("--depths", limits.depths,
                  "Most depths that are tried, as far as the drafter has masks for them")
      .check(cli::whole_number(1, 64));
  command
      .add_option("--follow-weight", options->trees.follow_weight,
                  "As of runtime decode, for which trees are chosen (default: 0.6 where there are "
                  "counts of `calibrate pair-counts`)")
      .check(cli::real_number(0, 10));
  command.add_option("--tree-nodes", limits.nodes, "Most nodes of a tree that are tried")
      .check(cli::whole_number(1, 256));
  declare_drafter_output(command, *options);
  return study_command(command, options, run_parallelspec);
}

}  // namespace outrider::calibrate
