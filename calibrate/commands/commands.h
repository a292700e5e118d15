#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

/// `calibrate all`: what a model still lacks of all that the others find out.
cli::Command add_all(CLI::App& program);

/// `calibrate heads`: the heads that attend to the source of copied tokens, for `--method
/// pld-plus-a`.
cli::Command add_heads(CLI::App& program);

/// `calibrate layer`: the layer whose hidden states rank sources to copy from, for `--method
/// pld-plus-h`.
cli::Command add_layer(CLI::App& program);

/// `calibrate ngrams`: the tables for `unigram`, `bigram` and `ngrammys`.
cli::Command add_ngrams(CLI::App& program);

/// `calibrate draft`: a draft model's acceptance, and its fastest draft lengths on this machine.
cli::Command add_draft(CLI::App& program);

/// `calibrate graph`: the trees and graphs of a draft model that are fastest on this machine.
cli::Command add_graph(CLI::App& program);

/// `calibrate tree`: the trees of a parallel drafter that are fastest on this machine.
cli::Command add_tree(CLI::App& program);

/// `calibrate followers`: which tokens follow each other, for drafts of one pass.
cli::Command add_followers(CLI::App& program);

/// `calibrate cost`: the time of a pass by its number of new rows on this machine.
cli::Command add_cost(CLI::App& program);

/// `calibrate merge`: whether the parts of a study that several processes divide are finished.
cli::Command add_merge(CLI::App& program);

/// `calibrate plot`: draws stored results.
cli::Command add_plot(CLI::App& program);

/// `calibrate replay`: checks that the replays used by calibration equal decoding.
cli::Command add_replay(CLI::App& program);

/// `calibrate bench`: prompts decoded with drafts of every number and length, or with every stop policy.
cli::Command add_bench(CLI::App& program);

/// `calibrate stops`: what stop policies gain in the mean of several studies by `bench --stops`.
cli::Command add_stops(CLI::App& program);

/// `calibrate quality`: the cost of quantised arithmetic in perplexity and agreement, on the user's
/// own texts.
cli::Command add_quality(CLI::App& program);

/// `calibrate attribute`: how well copied drafts attribute an answer to its sources.
cli::Command add_attribute(CLI::App& program);

}  // namespace outrider::calibrate
