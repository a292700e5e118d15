#include "train/draft/accepted_rounds.h"

#include <algorithm>

namespace outrider::train {

AcceptedRounds greedy_rounds(std::span<const double> agrees, std::span<const std::uint8_t> counted,
                             int length) {
  AcceptedRounds sum;
  for (std::size_t begin = 0; begin < agrees.size();) {
    std::size_t end = begin;
    const std::size_t most = std::min(agrees.size(), begin + static_cast<std::size_t>(length));
    while (end < most && agrees[end] != 0) ++end;
    if (counted[begin] != 0) {
      sum.accepted += static_cast<double>(end - begin);
      ++sum.rounds;
    }
    begin = end + 1;
  }
  return sum;
}

AcceptedRounds expected_rounds(std::span<const double> acceptance,
                               std::span<const std::uint8_t> counted, int length) {
  AcceptedRounds sum;
  for (std::size_t begin = 0; begin < acceptance.size(); ++begin) {
    if (counted[begin] == 0) continue;
    const std::size_t most = std::min(acceptance.size(), begin + static_cast<std::size_t>(length));
    double all = 1;
    for (std::size_t i = begin; i < most; ++i) sum.accepted += all *= acceptance[i];
    ++sum.rounds;
  }
  return sum;
}

}  // namespace outrider::train
