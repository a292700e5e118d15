#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

/// `calibrate ngrams`: the tables that `unigram`, `bigram` and `ngrammys` draft from.
cli::Command add_ngrams(CLI::App& program);

}  // namespace outrider::calibrate
