#include "runtime/methods/list.h"
#include "runtime/methods/parallelspec.h"

namespace outrider::methods {

std::unique_ptr<Method> new_parallelspec_medusa() {
  return std::make_unique<ParallelSpec>(
      draft::ParallelSpecModel::Flavour::kMedusa,
      "the same over tokens or states alone, in place of Medusa's heads (ParallelSpec)");
}

}  // namespace outrider::methods
