#include "runtime/methods/gsd.h"

#include "runtime/methods/list.h"

namespace outrider::methods {

std::unique_ptr<Method> new_gsd() { return std::make_unique<Gsd>(); }

}  // namespace outrider::methods
