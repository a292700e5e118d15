#pragma once

#include "runtime/cli/decode_options.h"
#include "runtime/inference/target.h"

namespace outrider {

/// A conversation on the terminal: reads messages, streams answers. /reset begins anew, /exit or
/// Ctrl-D ends it; Ctrl-C ends an answer, or the conversation while no answer is being made.
void converse(inference::Target& target, const DecodeOptions& options);

}  // namespace outrider
