#include "runtime/methods/list.h"
#include "runtime/methods/tree_method.h"

namespace outrider::methods {

std::unique_ptr<Method> new_gsd() { return std::make_unique<Gsd>(); }

}  // namespace outrider::methods
