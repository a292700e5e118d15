#pragma once

#include <string>

#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// Whether strings, lists or dictionaries, whichever the value is, have this method in Python.
bool has_method(const Value& value, const std::string& name);

/// Calls a method of a string, list or dictionary.
/// @throws Fault for wrong arguments, and for methods that would change the value
Value call_method(Rendering& rendering, const Value& value, const std::string& name,
                  const Arguments& arguments);

/// A method as a value, to be called later.
Value method_value(const Value& value, const std::string& name);

// Of strings (string_methods.cc).
Value call_string_method(Rendering& rendering, const Text& text, const std::string& name,
                         const Arguments& arguments);
bool has_string_method(const std::string& name);

}  // namespace outrider::jinja
