#pragma once

#include <string>

#include "runtime/commands/decode_run.h"
#include "runtime/inference/generation.h"

namespace outrider {

/// One line of `--json`: the text, its tokens, the settings and the figures. `turn` and `sample`
/// are present only where there are several.
std::string decode_record(const inference::GeneratedText& text, const inference::Target& target,
                          const DecodeRun& run);

}  // namespace outrider
