#include "runtime/methods/list.h"
#include "runtime/methods/parallelspec.h"

namespace outrider::methods {

std::unique_ptr<Method> new_eagle_ar() {
  return std::make_unique<ParallelSpec>(
      draft::ParallelSpecModel::Flavour::kEagleAr,
      "the layer of parallelspec-eagle without masks, a pass for each token (EAGLE)");
}

}  // namespace outrider::methods
