#include "runtime/methods/tsd.h"

#include "runtime/methods/list.h"

namespace outrider::methods {

std::unique_ptr<Method> new_tsd() { return std::make_unique<Tsd>(); }

}  // namespace outrider::methods
