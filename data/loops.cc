#include "data/loops.h"

#include <algorithm>

namespace outrider::data {

std::vector<std::uint8_t> loop_flags(std::span<const Token> tokens) {
  constexpr std::size_t kRepeats = 4;
  std::vector<std::uint8_t> flags(tokens.size(), 0);
  for (std::size_t period = 1; period * kRepeats <= tokens.size(); ++period) {
    // [begin, end) has the period while each token equals the one a period before it.
    std::size_t begin = 0;
    for (std::size_t end = period; end <= tokens.size(); ++end) {
      if (end < tokens.size() && tokens[end] == tokens[end - period]) continue;
      if (end - begin >= period * kRepeats) {
        std::fill(flags.begin() + static_cast<std::ptrdiff_t>(begin),
                  flags.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{1});
      }
      begin = end + 1 - period;
    }
  }
  return flags;
}

}  // namespace outrider::data
