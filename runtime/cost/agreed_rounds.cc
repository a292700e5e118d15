#include "runtime/cost/agreed_rounds.h"

namespace outrider::cost {

std::vector<AgreedRound> agreed_rounds(std::size_t tokens, const IsAccepted& is_accepted) {
  std::vector<AgreedRound> rounds;
  for (std::size_t begin = 0; begin < tokens;) {
    std::size_t accepted = 0;
    while (is_accepted(begin, accepted)) ++accepted;
    rounds.push_back({begin, accepted});
    begin += accepted + 1;
  }
  return rounds;
}

}  // namespace outrider::cost
