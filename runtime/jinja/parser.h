#pragma once

#include <string_view>

#include "runtime/jinja/syntax.h"

namespace outrider::jinja {

/// The statements of a template in normal form (lexer.h).
/// @throws Mistake
Block parse(std::string_view source);

}  // namespace outrider::jinja
