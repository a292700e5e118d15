#pragma once

#include <vector>

#include "runtime/commands/decode_run.h"
#include "runtime/inference/generation.h"

namespace outrider {

/// `--check`: decodes every text again plainly, with a new engine and a new cache for each text, after
/// all figures are taken; compares tokens, finish reason and text.
/// @throws CheckFailed naming prompt, turn and sample, and the first position that differs with the
///         two tokens, or else what differs; Interrupted
void check_against_plain(inference::Target& target, const DecodeRun& run,
                         const std::vector<inference::GeneratedText>& texts);

}  // namespace outrider
