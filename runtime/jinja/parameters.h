#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// The arguments of a call, by the parameters of what is called.
class Parameters {
 public:
  /// @param callee  in messages: "the filter replace"
  /// @param names   of all parameters, in their order
  /// @throws Fault for too many arguments, or a name that is unknown or given twice
  Parameters(std::string callee, const Arguments& arguments,
             std::initializer_list<const char*> names);

  bool has(std::size_t index) const { return values_[index] != nullptr; }
  /// Nothing where the parameter is not given or none.
  bool has_some(std::size_t index) const { return has(index) && !values_[index]->is_none(); }
  /// @throws Fault if it is not given
  const Value& value(std::size_t index) const;
  /// @throws Fault if it is given and not an integer
  std::int64_t integer(std::size_t index, std::int64_t otherwise) const;
  bool flag(std::size_t index, bool otherwise) const;
  /// @throws Fault if it is not given, or not a string
  const Text& text(std::size_t index) const;

 private:
  std::string callee_;
  std::vector<const char*> names_;
  std::vector<const Value*> values_;
};

/// @throws Fault unless the value is a string; `what` names it
const Text& need_text(const Value& value, const std::string& what);

}  // namespace outrider::jinja
