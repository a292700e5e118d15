#pragma once

#include <vector>

#include "runtime/inference/decode_run.h"

namespace outrider {

/// `--check`: decodes every text again plainly, with a new engine and a new cache for each, after all
/// figures are taken.
/// @throws CheckFailed naming prompt, turn and sample, and the first position that differs with the
///         two tokens; Interrupted
void check_against_plain(DecodeTarget& target, const DecodeOptions& options,
                         const std::vector<DecodedText>& texts);

}  // namespace outrider
