#pragma once

#include <optional>
#include <string>

#include "runtime/jinja/budget.h"
#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// Python's `json.dumps`.
struct JsonStyle {
  std::optional<std::string> indent = {};  // of a level; nothing: all on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
  bool ascii = false;   // other characters as \uXXXX
  bool sorted = false;  // by keys
};

/// @throws Fault for what JSON has no form of
Text to_json(const Value& value, const JsonStyle& style, Budget& budget);

}  // namespace outrider::jinja
