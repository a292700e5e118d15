#pragma once

#include <string>
#include <string_view>

namespace outrider::text {

/// The layout with the special tokens of an unknown template, as a hint for the user; empty if none.
std::string nearest_layout(std::string_view jinja);

}  // namespace outrider::text
