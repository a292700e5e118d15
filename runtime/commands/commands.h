#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime decode`: generates continuations of prompts with speculative decoding. Texts are
/// written to standard output, figures to standard error, records to the file of `--json`.
cli::Command add_decode(CLI::App& program);

/// `runtime serve`: answers requests of OpenAI's API until it is interrupted.
cli::Command add_serve(CLI::App& program);

/// `runtime certify`: proves on this machine that a row's bits do not depend on the other rows of a
/// pass.
cli::Command add_certify(CLI::App& program);

/// `runtime bench`: the time of a pass on this machine, and its share of the memory bandwidth.
cli::Command add_bench(CLI::App& program);

/// `runtime inspect FILE`: prints the contents of a model file.
cli::Command add_inspect(CLI::App& program);

/// `runtime tokenize`: text to token ids and back, one text or a whole file of prompts.
cli::Command add_tokenize(CLI::App& program);

/// `runtime export`: writes the draft model of an artifact file for other programs.
cli::Command add_export(CLI::App& program);

}  // namespace outrider
