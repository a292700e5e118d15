#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

/// `calibrate ngrams`: the tables for `unigram`, `bigram` and `ngrammys`.
cli::Command add_ngrams(CLI::App& program);

}  // namespace outrider::calibrate
