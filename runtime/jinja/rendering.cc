#include "runtime/jinja/rendering.h"

#include <fmt/core.h>

#include "runtime/jinja/filter.h"
#include "runtime/jinja/is_test.h"
#include "runtime/jinja/operators.h"
#include "runtime/jinja/write_value.h"

namespace outrider::jinja {

Rendering::~Rendering() {
  for (const ObjectPtr& object : objects_) object->clear();
}

Value Rendering::call(const Value& callee, const Arguments& arguments) {
  budget.step();
  need_defined(callee);
  if (Object* object = callee.object()) return object->call(*this, arguments);
  throw Fault(fmt::format("{} cannot be called", callee.type()));
}

Value Rendering::filter(const std::string& name, const Value& subject, const Arguments& arguments) {
  budget.step();
  if (const FilterFunction found = find_filter(name))
    return found({*this, name, subject, arguments});
  throw Fault(fmt::format("unknown filter '{}'", name));
}

bool Rendering::test(const std::string& name, const Value& subject, const Arguments& arguments) {
  budget.step();
  if (const TestFunction found = find_test(name)) return found(*this, subject, arguments);
  throw Fault(fmt::format("unknown test '{}'", name));
}

Text Rendering::write(const Value& value) { return written(value, budget); }

}  // namespace outrider::jinja
