#include "calibrate/pld_plus/copy_replay.h"

#include <algorithm>

namespace outrider::calibrate {

CopyChance copy_chance(std::span<const Token> text, int t, int source) {
  const auto at = [&](int i) { return text[static_cast<std::size_t>(i)]; };
  CopyChance chance{t - source, 0};
  const int left = static_cast<int>(text.size()) - 1 - t;
  const int most = std::min(chance.available, left);
  while (chance.agreeing < most &&
         at(source + 1 + chance.agreeing) == at(t + 1 + chance.agreeing)) {
    ++chance.agreeing;
  }
  return chance;
}

Replay replay(std::span<const CopyChance> chances, int draft_length) {
  Replay result;
  const int length = static_cast<int>(chances.size());
  for (int i = 0; i < length;) {
    const CopyChance& chance = chances[static_cast<std::size_t>(i)];
    const int left = length - i;  // tokens to come
    // The pass itself yields one of them.
    const int drafted = std::min({draft_length, chance.available, left - 1});
    const int accepted = std::min(drafted, chance.agreeing);
    result.add_pass(drafted, accepted, accepted + 1);
    i += accepted + 1;
  }
  return result;
}

}  // namespace outrider::calibrate
