#include "calibrate/trials/stretches.h"

#include <algorithm>
#include <cmath>

namespace outrider::calibrate {

std::vector<Stretch> choose_stretches(const std::vector<const Answer*>& answers,
                                      std::size_t positions, std::size_t last) {
  constexpr double kGolden = 0.6180339887498949;  // its multiples are spread evenly, modulo 1
  std::vector<Stretch> stretches;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = *answers[i];
    const std::size_t begin = static_cast<std::size_t>(answer.prompt) + 1;
    const std::size_t end = std::min(answer.tokens.size(), last + 1);
    if (begin >= end) continue;
    const std::size_t left = answers.size() - i;
    const std::size_t share =
        positions == 0 ? end - begin : (positions - std::min(positions, taken) + left - 1) / left;
    const std::size_t length = std::min(share, end - begin);
    const double part = std::fmod(static_cast<double>(i) * kGolden, 1.0);
    const auto room = static_cast<double>(end - begin - length);
    const std::size_t first = answer.after_loop(begin + static_cast<std::size_t>(part * room));
    const std::size_t stop = std::min({first + length, answer.next_loop(first), end});
    if (first >= stop) continue;
    taken += stop - first;
    stretches.push_back({&answer, first, stop});
  }
  return stretches;
}

}  // namespace outrider::calibrate
