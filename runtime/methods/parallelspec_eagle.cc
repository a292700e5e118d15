#include "runtime/methods/list.h"
#include "runtime/methods/parallelspec.h"

namespace outrider::methods {

std::unique_ptr<Method> new_parallelspec_eagle() {
  return std::make_unique<ParallelSpec>(
      draft::ParallelSpecModel::Flavour::kEagle,
      "one trained layer over the target's states, all tokens in one pass (ParallelSpec)");
}

}  // namespace outrider::methods
