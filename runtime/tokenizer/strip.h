#pragma once

#include <string_view>

namespace outrider::text {

/// Without the white space at both ends, as Jinja's `trim` and Python's `strip` take it away.
/// @param text  valid UTF-8
std::string_view strip(std::string_view text);

/// Without the white space at its end.
std::string_view strip_end(std::string_view text);

}  // namespace outrider::text
