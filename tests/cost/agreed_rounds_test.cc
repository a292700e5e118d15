#include "runtime/cost/agreed_rounds.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace outrider::cost {
namespace {

using Rounds = std::vector<std::pair<std::size_t, std::size_t>>;  // begin, accepted

Rounds rounds_of(std::size_t tokens, const IsAccepted& is_accepted) {
  Rounds rounds;
  for (const auto& [begin, accepted] : agreed_rounds(tokens, is_accepted))
    rounds.emplace_back(begin, accepted);
  return rounds;
}

/// Of at most so many drafted tokens.
Rounds rounds_of(const std::vector<std::uint8_t>& accepted, std::size_t longest) {
  return rounds_of(accepted.size(), [&](std::size_t begin, std::size_t drafted) {
    const std::size_t at = begin + drafted;
    return drafted < longest && at < accepted.size() && accepted[at] != 0;
  });
}

TEST(AgreedRounds, BeginAfterTheTokenThatTheTargetAdds) {
  // In place of tokens 2, 3 and 5 the target adds its own.
  EXPECT_EQ(rounds_of({1, 1, 0, 0, 1, 0}, 9), (Rounds{{0, 2}, {3, 0}, {4, 1}}));
}

TEST(AgreedRounds, OfALengthEndBeforeWhatIsNotDrafted) {
  EXPECT_EQ(rounds_of({1, 1, 0, 1, 1, 1, 0, 1}, 2), (Rounds{{0, 2}, {3, 2}, {6, 0}, {7, 1}}));
  EXPECT_EQ(rounds_of({1, 1}, 0), (Rounds{{0, 0}, {1, 0}})) << "plain decoding";
}

TEST(AgreedRounds, MayEndWithTheText) {
  EXPECT_EQ(rounds_of({0, 1, 1}, 9), (Rounds{{0, 0}, {1, 2}}));
  EXPECT_EQ(rounds_of({}, 9), Rounds());
}

TEST(AgreedRounds, DraftAnewInEachRoundAndMayGoOnAfterTheLastToken) {
  // Rounds from tokens 0 and 2 accept 1 and 3; one from token 1 would accept none.
  const std::vector<std::size_t> accepted = {1, 0, 3};
  EXPECT_EQ(rounds_of(3, [&](std::size_t begin,
                             std::size_t drafted) { return drafted < accepted[begin]; }),
            (Rounds{{0, 1}, {2, 3}}));
}

}  // namespace
}  // namespace outrider::cost
