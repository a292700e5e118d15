#pragma once

#include <string>

#include "runtime/jinja/budget.h"
#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// A value as it is written out, which is Python's `str`: a string as it is, nothing for an undefined value.
Text written(const Value& value, Budget& budget);

/// Python's `repr`: as inside of a list, where strings have quotes.
Text written_in_list(const Value& value, Budget& budget);

/// Python's shortest form of a float: "0.1", "1e+16", "inf".
std::string written_float(double value);

}  // namespace outrider::jinja
