#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace outrider {

/// " (did you mean NAME?)" with the known name nearest in spelling, or "" when none is near.
std::string did_you_mean(std::string_view found, const std::vector<std::string>& known);

}  // namespace outrider
