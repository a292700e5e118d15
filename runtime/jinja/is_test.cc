#include "runtime/jinja/is_test.h"

#include <map>

#include "runtime/jinja/filter.h"
#include "runtime/jinja/operators.h"
#include "runtime/jinja/parameters.h"
#include "runtime/jinja/value_methods.h"

namespace outrider::jinja {
namespace {

template <Operator op>
bool ordered(Rendering& rendering, const Value& subject, const Arguments& arguments) {
  const Parameters given("a test that compares", arguments, {"other"});
  return holds(op, subject, given.value(0), rendering.budget);
}

/// A test without arguments of the value alone.
template <bool (*is_it)(const Value&)>
bool of_value(Rendering& /*rendering*/, const Value& subject, const Arguments& arguments) {
  const Parameters none("a test", arguments, {});
  return is_it(subject);
}

std::int64_t remainder_by(const Value& subject, std::int64_t divisor) {
  const auto whole = subject.whole();
  if (!whole) {
    need_defined(subject);
    throw Fault(std::string("a test for divisors: found ") + subject.type() +
                ", expected an integer");
  }
  if (divisor == 0) throw Fault("a division by zero");
  return divisor == -1 ? 0 : *whole % divisor;
}

/// Whether the value, as text, has only cased letters of one case, and some.
template <char first>
bool is_in_case(Rendering& rendering, const Value& subject, const Arguments& /*arguments*/) {
  return call_method(rendering, rendering.write(subject), first == 'u' ? "isupper" : "islower", {})
      .truth();
}

bool has_value(const Value& value) { return !value.is_undefined(); }
bool is_undefined(const Value& value) { return value.is_undefined(); }
bool is_none(const Value& value) { return value.is_none(); }
bool is_boolean(const Value& value) { return value.boolean() != nullptr; }
bool is_true(const Value& value) { return value.boolean() != nullptr && *value.boolean(); }
bool is_false(const Value& value) { return value.boolean() != nullptr && !*value.boolean(); }
bool is_integer(const Value& value) { return value.integer() != nullptr; }
bool is_float(const Value& value) { return value.real() != nullptr; }
bool is_number(const Value& value) { return value.number().has_value(); }
bool is_string(const Value& value) { return value.text() != nullptr; }
bool is_mapping(const Value& value) { return value.dict() != nullptr; }
bool is_callable(const Value& value) {
  return value.object() != nullptr && value.object()->is_callable();
}
bool has_elements(const Value& value) {
  return value.text() != nullptr || value.list() != nullptr || value.dict() != nullptr ||
         value.is_undefined();
}
bool is_sequence(const Value& value) {
  return has_elements(value) &&
         (value.list() == nullptr || value.list()->kind != ListKind::kGenerator);
}
bool is_odd(const Value& value) { return remainder_by(value, 2) != 0; }
bool is_even(const Value& value) { return remainder_by(value, 2) == 0; }

bool is_divisible(Rendering& /*rendering*/, const Value& subject, const Arguments& arguments) {
  const Parameters given("the test divisibleby", arguments, {"num"});
  given.value(0);
  return remainder_by(subject, given.integer(0, 1)) == 0;
}

bool is_same(Rendering& /*rendering*/, const Value& subject, const Arguments& arguments) {
  const Parameters given("the test sameas", arguments, {"other"});
  const Value& that = given.value(0);
  if (subject.variant().index() != that.variant().index()) return false;
  if (subject.list() != nullptr) return subject.list() == that.list();
  if (subject.dict() != nullptr) return subject.dict() == that.dict();
  return equal(subject, that);
}

bool is_filter(Rendering& /*rendering*/, const Value& subject, const Arguments& /*arguments*/) {
  return find_filter(need_text(subject, "a filter's name").bytes()) != nullptr;
}

bool is_test(Rendering& /*rendering*/, const Value& subject, const Arguments& /*arguments*/) {
  return find_test(need_text(subject, "a test's name").bytes()) != nullptr;
}

}  // namespace

TestFunction find_test(const std::string& name) {
  static const std::map<std::string_view, TestFunction> tests = {
      {"!=", ordered<Operator::kNotEqual>},
      {"<", ordered<Operator::kLess>},
      {"<=", ordered<Operator::kLessEqual>},
      {"==", ordered<Operator::kEqual>},
      {">", ordered<Operator::kGreater>},
      {">=", ordered<Operator::kGreaterEqual>},
      {"boolean", of_value<is_boolean>},
      {"callable", of_value<is_callable>},
      {"defined", of_value<has_value>},
      {"divisibleby", is_divisible},
      {"eq", ordered<Operator::kEqual>},
      {"equalto", ordered<Operator::kEqual>},
      {"even", of_value<is_even>},
      {"false", of_value<is_false>},
      {"filter", is_filter},
      {"float", of_value<is_float>},
      {"ge", ordered<Operator::kGreaterEqual>},
      {"greaterthan", ordered<Operator::kGreater>},
      {"gt", ordered<Operator::kGreater>},
      {"in", ordered<Operator::kIn>},
      {"integer", of_value<is_integer>},
      {"iterable", of_value<has_elements>},
      {"le", ordered<Operator::kLessEqual>},
      {"lessthan", ordered<Operator::kLess>},
      {"lower", is_in_case<'l'>},
      {"lt", ordered<Operator::kLess>},
      {"mapping", of_value<is_mapping>},
      {"ne", ordered<Operator::kNotEqual>},
      {"none", of_value<is_none>},
      {"number", of_value<is_number>},
      {"odd", of_value<is_odd>},
      {"sameas", is_same},
      {"sequence", of_value<is_sequence>},
      {"string", of_value<is_string>},
      {"test", is_test},
      {"true", of_value<is_true>},
      {"undefined", of_value<is_undefined>},
      {"upper", is_in_case<'u'>},
  };
  const auto found = tests.find(name);
  return found == tests.end() ? nullptr : found->second;
}

}  // namespace outrider::jinja
