#include "runtime/methods/gsd.h"
#include "runtime/methods/list.h"

namespace outrider::methods {

std::unique_ptr<Method> new_tsd() { return std::make_unique<Gsd>(false); }

}  // namespace outrider::methods
