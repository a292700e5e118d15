#pragma once

#include "runtime/methods/list.h"

namespace outrider::methods {

/// The example of runtime/methods/README.md.
std::unique_ptr<Method> new_repeat();

}  // namespace outrider::methods

namespace outrider::test {

/// All methods, and the example as if `list.inc` had its line.
inline methods::MethodList with_repeat() {
  methods::MethodList list = methods::all_methods();
  list.push_back(methods::new_repeat);
  return list;
}

}  // namespace outrider::test
