#pragma once

#include "runtime/cli/command_line.h"
#include "runtime/cli/decode_options.h"

namespace outrider {

/// `runtime decode`: continues prompts with the target's own choices, drafting ahead.
Command add_decode(CLI::App& program);

/// Does what the options say: texts to standard output, figures to standard error, records to the
/// file of `--json`.
/// @throws InputError, CheckFailed (`--check`), Interrupted once all that was made is written
void run_decode(DecodeOptions options);

}  // namespace outrider
