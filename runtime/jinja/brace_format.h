#pragma once

#include "runtime/jinja/budget.h"
#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// Python's `str.format`: {}, {0}, {name}, {name.attribute}, {name[key]}, {!r} and {:spec} with fill, alignment,
/// sign, width, a comma for thousands, precision and type.
/// @throws Fault for what is none of these, and for missing arguments
Text brace_format(const Text& format, const Arguments& arguments, Budget& budget);

}  // namespace outrider::jinja
