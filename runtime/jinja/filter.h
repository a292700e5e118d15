#pragma once

#include <string>

#include "runtime/jinja/parameters.h"
#include "runtime/jinja/rendering.h"

namespace outrider::jinja {

/// A filter that is being applied.
struct FilterCall {
  Rendering& rendering;
  const std::string& name;
  const Value& subject;
  const Arguments& arguments;

  Budget& budget() const { return rendering.budget; }
  Parameters parameters(std::initializer_list<const char*> names) const {
    return {"the filter " + name, arguments, names};
  }
  /// The subject as text.
  Text text() const { return rendering.write(subject); }
};

using FilterFunction = Value (*)(const FilterCall&);

/// The filter of this name, or nullptr.
FilterFunction find_filter(const std::string& name);

// Its parts: of strings and numbers (string_filters.cc), and of lists (list_filters.cc).
FilterFunction find_string_filter(const std::string& name);
FilterFunction find_list_filter(const std::string& name);

}  // namespace outrider::jinja
