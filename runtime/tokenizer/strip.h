#pragma once

#include <string_view>

namespace outrider::text {

/// The text without white space at both ends, like Jinja's `trim` and Python's `strip`.
/// @param text  valid UTF-8
std::string_view strip(std::string_view text);

/// The text without white space at its end.
std::string_view strip_end(std::string_view text);

}  // namespace outrider::text
