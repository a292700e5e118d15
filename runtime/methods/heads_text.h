#pragma once

#include <string>
#include <vector>

#include "runtime/engine/tap_request.h"

namespace outrider::methods {

/// Heads in the form of --heads: "12:3,14:5", layer and head, layers counted from 1, heads from 0.
/// @throws InputError for another form
std::vector<engine::Head> parse_heads(const std::string& text);
std::string heads_text(const std::vector<engine::Head>& heads);

}  // namespace outrider::methods
