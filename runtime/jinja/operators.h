#pragma once

#include <optional>

#include "runtime/jinja/budget.h"
#include "runtime/jinja/syntax.h"
#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// left op right for +, -, *, /, //, % and **, as in Python.
/// @throws Fault for types that it does not take, a division by zero, an integer beyond 64 bits
Value calculate(Operator op, const Value& left, const Value& right, Budget& budget);

/// left op right for comparisons and `in`.
/// @throws Fault for types without an order
bool holds(Operator op, const Value& left, const Value& right, Budget& budget);

/// -value or +value.
Value with_sign(const Value& value, bool minus);

/// object.name: a method or an attribute, else an element.
/// @throws Fault where the object is undefined
Value attribute_of(const Value& object, const std::string& name);

/// object[key]: an element, else an attribute.
/// @throws Fault where the object is undefined
Value element_of(const Value& object, const Value& key);

/// Python's object[begin:end:step].
/// @throws Fault for other objects than strings and lists, and bounds that are no integers
Value slice_of(const Value& object, const Value& begin, const Value& end, const Value& step,
               Budget& budget);

/// The elements that a loop over the value has: of a list, the keys of a dictionary, the characters of a
/// string.
/// @throws Fault if it has none
std::vector<Value> elements_of(const Value& value, Budget& budget);

/// The message of an undefined value that more is asked of than it has.
[[noreturn]] void fail_undefined(const Value& value);
/// @throws Fault if the value is undefined
void need_defined(const Value& value);

}  // namespace outrider::jinja
