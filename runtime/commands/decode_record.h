#pragma once

#include <string>

#include "runtime/commands/decode_run.h"

namespace outrider {

/// One line of `--json`: the text, its tokens, the settings and the figures. `turn` and `sample`
/// stand there only where there are several.
std::string decode_record(const DecodedText& text, const DecodeTarget& target,
                          const DecodeOptions& options);

}  // namespace outrider
