#include "runtime/methods/list.h"
#include "runtime/methods/tree_method.h"

namespace outrider::methods {

std::unique_ptr<Method> new_tsd() { return std::make_unique<Tsd>(); }

}  // namespace outrider::methods
