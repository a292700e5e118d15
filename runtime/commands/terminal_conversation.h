#pragma once

#include "runtime/commands/decode_run.h"
#include "runtime/commands/terminal.h"
#include "runtime/inference/target.h"

namespace outrider {

/// A conversation on the terminal: reads messages, streams answers. What is pasted is one message, with all its lines.
/// /reset starts over, /exit or Ctrl-D ends it; Ctrl-C ends an answer, or the conversation while no answer is generated.
void converse(Terminal& terminal, inference::Target& target, const DecodeRun& run);

}  // namespace outrider
