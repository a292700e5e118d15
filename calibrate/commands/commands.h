#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

// The commands of `calibrate`. The first line of each one's help says what it finds out.
cli::Command add_all(CLI::App& program);
cli::Command add_attribute(CLI::App& program);
cli::Command add_bench(CLI::App& program);
cli::Command add_cost(CLI::App& program);
cli::Command add_ssd(CLI::App& program);
cli::Command add_pair_counts(CLI::App& program);
cli::Command add_gsd(CLI::App& program);
cli::Command add_heads(CLI::App& program);
cli::Command add_layer(CLI::App& program);
cli::Command add_merge(CLI::App& program);
cli::Command add_ngrammys(CLI::App& program);
cli::Command add_plot(CLI::App& program);
cli::Command add_quality(CLI::App& program);
cli::Command add_replay(CLI::App& program);
cli::Command add_stops(CLI::App& program);
cli::Command add_parallelspec(CLI::App& program);

}  // namespace outrider::calibrate
