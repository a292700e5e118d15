#include "calibrate/commands/commands.h"
#include "runtime/cli/command_line.h"

int main(int argc, char** argv) {
  using namespace outrider::calibrate;
  return outrider::cli::run_tool(
      "calibrate", "Measure and choose the settings of drafters for a model on this machine.",
      {add_all, add_heads, add_layer, add_ngrammys, add_ssd, add_gsd, add_parallelspec,
       add_pair_counts, add_cost, add_plot, add_replay, add_merge, add_bench, add_stops,
       add_quality, add_attribute},
      argc, argv);
}
