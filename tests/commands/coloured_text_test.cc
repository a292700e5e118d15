#include "runtime/commands/coloured_text.h"

#include <gtest/gtest.h>

namespace outrider {
namespace {

/// One token a letter; `sources` as the decode loop reports them.
struct Typed {
  std::vector<std::string> written;  // after each token, and at the end

  Typed(const std::string& text, const std::vector<int>& sources, int min_span,
        std::size_t held_back = 0) {
    decode::Attribution copied(50, min_span);
    ColouredText colours(copied);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      copied.push(sources[i]);
      const std::size_t shown = i + 1 > held_back ? i + 1 - held_back : 0;
      written.push_back(colours.add(i + 1, text.substr(0, shown)));
    }
    written.push_back(colours.rest(text));
  }
};

using Written = std::vector<std::string>;

TEST(ColouredText, WaitsUntilASpanIsLongEnough) {
  EXPECT_EQ(Typed("abcdef", {-1, 7, 8, 9, -1, -1}, 3).written,
            (Written{"", "", "\x1b[36mabc", "d", "", "\x1b[0me", "f"}));
  EXPECT_EQ(Typed("abcdef", {-1, 7, 8, -1, -1, -1}, 4).written,
            (Written{"", "", "", "", "abcd", "e", "f"}));
}

TEST(ColouredText, EverySpanHasAColourOfItsOwn) {
  EXPECT_EQ(Typed("abcd", {7, 8, 20, 21}, 2).written,
            (Written{"", "\x1b[36mab", "", "\x1b[33mcd", "\x1b[0m"}));
}

TEST(ColouredText, WhatAStopStringHoldsBackKeepsItsColour) {
  EXPECT_EQ(Typed("abcd", {-1, 7, 8, -1}, 2, 2).written,
            (Written{"", "", "\x1b[36ma", "b", "c\x1b[0md"}));
}

TEST(ColouredText, NothingIsShownAfterAStop) {
  decode::Attribution copied(50, 2);
  ColouredText colours(copied);
  std::string all;
  for (const int source : {3, 4, 5}) {
    copied.push(source);
    all += colours.add(static_cast<std::size_t>(source) - 2, "ab");
  }
  EXPECT_EQ(all + colours.rest("ab"), "\x1b[36mab\x1b[0m");
}

}  // namespace
}  // namespace outrider
