#include "train/draft/accepted_rounds.h"

#include <algorithm>

#include "runtime/cost/agreed_rounds.h"

namespace outrider::train {

AcceptedRounds greedy_rounds(std::span<const double> agrees, std::span<const std::uint8_t> counted,
                             int length) {
  const auto is_accepted = [&](std::size_t begin, std::size_t drafted) {
    const std::size_t at = begin + drafted;
    return drafted < static_cast<std::size_t>(length) && at < agrees.size() && agrees[at] != 0;
  };
  AcceptedRounds sum;
  for (const auto& [begin, accepted] : cost::agreed_rounds(agrees.size(), is_accepted)) {
    if (counted[begin] == 0) continue;
    sum.accepted += static_cast<double>(accepted);
    ++sum.rounds;
  }
  return sum;
}

double expected_run(std::span<const double> acceptance) {
  double sum = 0, all = 1;
  for (const double one : acceptance) sum += all *= one;
  return sum;
}

AcceptedRounds expected_rounds(std::span<const double> acceptance,
                               std::span<const std::uint8_t> counted, int length) {
  AcceptedRounds sum;
  for (std::size_t begin = 0; begin < acceptance.size(); ++begin) {
    if (counted[begin] == 0) continue;
    const std::size_t most = std::min(acceptance.size() - begin, static_cast<std::size_t>(length));
    sum.accepted += expected_run(acceptance.subspan(begin, most));
    ++sum.rounds;
  }
  return sum;
}

}  // namespace outrider::train
