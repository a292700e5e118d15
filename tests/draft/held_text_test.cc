#include "runtime/draft/model/held_text.h"

#include <gtest/gtest.h>

namespace outrider::draft {
namespace {

using Tokens = std::vector<Token>;

Tokens tokens_of(const HeldText& held) { return {held.tokens().begin(), held.tokens().end()}; }

TEST(HeldText, KeepsWhatTheNextTextHasToo) {
  HeldText held;
  held.hold(Tokens{1, 2, 3, 4});
  EXPECT_EQ(held.keep_prefix(Tokens{1, 2, 9, 4, 5}), 2) << "not the 4 after another token";
  EXPECT_EQ(tokens_of(held), (Tokens{1, 2}));
  EXPECT_EQ(held.keep_prefix(Tokens{1, 2, 3}), 2) << "it does not hold more of a longer text";
  EXPECT_EQ(held.keep_prefix(Tokens{1}), 1);
  EXPECT_EQ(held.keep_prefix(Tokens{}), 0);
  EXPECT_EQ(held.length(), 0);
}

TEST(HeldText, GrowsWithWhatIsRead) {
  HeldText held;
  EXPECT_EQ(held.keep_prefix(Tokens{1, 2}), 0) << "nothing was read yet";
  held.hold(Tokens{1, 2});
  held.append(3);
  EXPECT_EQ(tokens_of(held), (Tokens{1, 2, 3}));
  held.hold(Tokens{1, 2, 3, 4});
  EXPECT_EQ(held.length(), 4);
}

TEST(HeldText, StaysInItsRoom) {
  HeldText held;
  held.reserve(4);
  held.hold(Tokens{1, 2});
  const Token* const room = held.tokens().data();
  held.append(3);
  held.keep_prefix(Tokens{1});
  held.hold(Tokens{1, 5, 6, 7});
  EXPECT_EQ(held.tokens().data(), room);
}

}  // namespace
}  // namespace outrider::draft
