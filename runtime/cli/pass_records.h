#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "runtime/decode/decode_loop.h"

namespace outrider::cli {

/// "drafts" of a record: [drafted, accepted] of each pass.
nlohmann::ordered_json drafts_by_pass(const std::vector<decode::PassDraft>& passes);

}  // namespace outrider::cli
