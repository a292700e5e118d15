#include "data/loops.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace outrider::data {
namespace {

/// Letters as tokens; the flags as 'x' and '.'.
std::string flags_of(const std::string& text) {
  const std::vector<Token> tokens(text.begin(), text.end());
  std::string flags;
  for (const std::uint8_t flag : loop_flags(tokens)) flags += flag != 0 ? 'x' : '.';
  return flags;
}

TEST(LoopFlags, MarkAPeriodRepeatedFourTimesButNotThree) {
  EXPECT_EQ(flags_of("uabcabcabcabcv"), ".xxxxxxxxxxxx.");
  EXPECT_EQ(flags_of("uabcabcabcabv"), ".............");
  EXPECT_EQ(flags_of("uaaav"), ".....");
  EXPECT_EQ(flags_of("uaaaav"), ".xxxx.");
}

TEST(LoopFlags, IncludeAnIncompleteRepetition) {
  EXPECT_EQ(flags_of("abababababz"), "xxxxxxxxxx.");
  EXPECT_EQ(flags_of("ababababa"), "xxxxxxxxx");
}

TEST(LoopFlags, MarkEachOfSeveralLoops) {
  EXPECT_EQ(flags_of("aaaabbbbcdefffff"), "xxxxxxxx...xxxxx");
  EXPECT_EQ(flags_of(""), "");
}

/// The definition, implemented literally.
std::string slow_flags(const std::string& text) {
  std::string flags(text.size(), '.');
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    for (std::size_t period = 1; begin + 4 * period <= text.size(); ++period) {
      const std::string once = text.substr(begin, period);
      if (text.substr(begin, 4 * period) != once + once + once + once) continue;
      std::size_t end = begin + 4 * period;
      while (end < text.size() && text[end] == text[end - period]) ++end;
      for (std::size_t i = begin; i < end; ++i) flags[i] = 'x';
    }
  }
  return flags;
}

TEST(LoopFlags, AgreeWithTheDefinitionOnRandomTexts) {
  std::minstd_rand random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    while (text.size() < 60) {
      // Random letters, sometimes with a repeated piece.
      std::string piece;
      for (auto i = random() % 5; i < 5; ++i) piece += random() % 7 < 3 ? 'a' : 'b';
      for (auto i = random() % 6; i < 6; ++i) text += piece;
    }
    ASSERT_EQ(flags_of(text), slow_flags(text)) << text;
  }
}

}  // namespace
}  // namespace outrider::data
