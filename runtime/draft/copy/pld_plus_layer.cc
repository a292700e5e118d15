#include "runtime/draft/copy/pld_plus_layer.h"

#include <bit>
#include <cstdint>

#include "runtime/base/hash.h"

namespace outrider::draft {

std::string PldPlusLayer::choice() const {
  Hasher hasher;
  hasher.add_number(static_cast<std::uint64_t>(chosen));
  hasher.add_number(std::bit_cast<std::uint64_t>(logit_weight));
  return hasher.hex();
}

}  // namespace outrider::draft
