#pragma once

#include "runtime/jinja/budget.h"
#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// Python's `format % values`: %s, %r, %d, %i, %x, %X, %o, %c, %e, %f, %g with flags, width and precision;
/// %(key)s takes them from a dictionary.
/// @throws Fault for another code, and for values that are too few, too many or of other types
Text percent_format(const Text& format, const Value& values, Budget& budget);

}  // namespace outrider::jinja
