#include "data/split.h"

#include <array>

#include "runtime/base/hash.h"

namespace outrider::data {

Subset subset_of(std::string_view prompt_id, const SplitOptions& options) {
  Hasher hasher;
  hasher.add_number(options.seed);
  hasher.add_text(prompt_id);
  const double u = static_cast<double>(hasher.low() >> 11) * 0x1p-53;  // in [0, 1)
  if (u < options.test) return Subset::kTest;
  return u < options.test + options.validation ? Subset::kValidation : Subset::kTrain;
}

const char* name_of(Subset subset) {
  constexpr std::array<const char*, 3> kNames = {"train", "validation", "test"};
  return kNames[static_cast<std::size_t>(subset)];
}

}  // namespace outrider::data
