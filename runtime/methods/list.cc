#include "runtime/methods/list.h"

#include <fmt/format.h>

#include "runtime/base/closest_name.h"
#include "runtime/base/error.h"

namespace outrider::methods {

#define METHOD(name) std::unique_ptr<Method> new_##name();
#include "runtime/methods/list.inc"
#undef METHOD

const MethodList& all_methods() {
  static const MethodList list = {
#define METHOD(name) new_##name,
#include "runtime/methods/list.inc"
#undef METHOD
  };
  return list;
}

std::vector<std::string> names_of(const MethodList& list) {
  std::vector<std::string> names;
  for (const NewMethod make : list) names.push_back(make()->name());
  return names;
}

std::vector<std::string> names_of(const MethodList& list, bool Capabilities::*what) {
  std::vector<std::string> names;
  for (const NewMethod make : list)
    if (const auto method = make(); method->capabilities().*what) names.push_back(method->name());
  return names;
}

std::unique_ptr<Method> new_method(const std::string& name, const MethodList& list) {
  for (const NewMethod make : list)
    if (auto method = make(); method->name() == name) return method;
  const std::vector<std::string> names = names_of(list);
  throw InputError(fmt::format("method: expected {}, found '{}'{}", fmt::join(names, ", "), name,
                               did_you_mean(name, names)));
}

}  // namespace outrider::methods
