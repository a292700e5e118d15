#include "runtime/engine/cpu/alibi.h"

#include <bit>
#include <numbers>

#include "runtime/base/math.h"

namespace outrider::engine::cpu {

std::vector<float> alibi_slopes(int heads) {
  const auto slope = [](int head, int of) {
    return static_cast<float>(math::exp(-8.0 * std::numbers::ln2 * head / of));
  };
  const int lower = static_cast<int>(std::bit_floor(static_cast<unsigned>(heads)));
  std::vector<float> slopes;
  for (int head = 1; head <= lower; ++head) slopes.push_back(slope(head, lower));
  for (int head = 1; head <= heads - lower; ++head)
    slopes.push_back(slope(2 * head - 1, 2 * lower));
  return slopes;
}

}  // namespace outrider::engine::cpu
