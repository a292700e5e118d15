#pragma once

#include <string_view>

namespace outrider::model {

/// Whether the bytes are UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool valid_utf8(std::string_view text);

}  // namespace outrider::model
