#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/inference/decode_run.h"

namespace outrider {

/// One line of `--json`: the text, its tokens, the settings and the figures. `turn` and `sample`
/// stand there only where there are several.
std::string decode_record(const DecodedText& text, const DecodeTarget& target,
                          const DecodeOptions& options);

/// Its "drafts": [drafted, accepted] of each pass.
nlohmann::ordered_json drafts_by_pass(const std::vector<decode::PassDraft>& passes);

}  // namespace outrider
