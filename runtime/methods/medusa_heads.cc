#include "runtime/methods/list.h"
#include "runtime/methods/parallelspec.h"

namespace outrider::methods {

std::unique_ptr<Method> new_medusa_heads() {
  return std::make_unique<ParallelSpec>(
      draft::ParallelSpecModel::Flavour::kMedusaHeads,
      "a trained head for each token over the target's last state (Medusa)");
}

}  // namespace outrider::methods
