#pragma once

#include <string>

#include "runtime/jinja/rendering.h"
#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// A test of a value, as in `x is divisibleby 3`.
using TestFunction = bool (*)(Rendering&, const Value& subject, const Arguments&);

/// The test of this name, or nullptr.
TestFunction find_test(const std::string& name);

}  // namespace outrider::jinja
