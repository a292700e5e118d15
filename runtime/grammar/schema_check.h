#pragma once

#include <string_view>

namespace outrider::grammar {

/// Refuses a schema that says what grammars do not ensure, so that no part of it is left out silently: keywords that are
/// not known, and combinations of which only one would count. What it lets pass may still be refused for its values.
/// @param schema  JSON text
/// @throws InputError naming the place and the keyword; for what is not JSON, is nested too deep or is too long
void check_schema(std::string_view schema);

}  // namespace outrider::grammar
