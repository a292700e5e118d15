#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// A value of JSON; its strings, and the keys of its objects, are inputs.
/// @throws Fault if it is nested too deep
Value from_json(const nlohmann::ordered_json& json, Source source);

}  // namespace outrider::jinja
