#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

// The commands of `calibrate`. The first line of each one's help says what it finds out.
cli::Command add_all(CLI::App& program);
cli::Command add_attribute(CLI::App& program);
cli::Command add_bench(CLI::App& program);
cli::Command add_cost(CLI::App& program);
cli::Command add_draft(CLI::App& program);
cli::Command add_followers(CLI::App& program);
cli::Command add_graph(CLI::App& program);
cli::Command add_heads(CLI::App& program);
cli::Command add_layer(CLI::App& program);
cli::Command add_merge(CLI::App& program);
cli::Command add_ngrams(CLI::App& program);
cli::Command add_plot(CLI::App& program);
cli::Command add_quality(CLI::App& program);
cli::Command add_replay(CLI::App& program);
cli::Command add_stops(CLI::App& program);
cli::Command add_tree(CLI::App& program);

}  // namespace outrider::calibrate
