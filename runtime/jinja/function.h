#pragma once

#include <optional>
#include <string>

#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// What templates find without its being given: range, dict, namespace, cycler, joiner, raise_exception and
/// strftime_now. Nothing if there is none of this name.
std::optional<Value> find_function(const std::string& name);

}  // namespace outrider::jinja
