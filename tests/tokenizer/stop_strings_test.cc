#include "runtime/tokenizer/stop_strings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/expect_input_error.h"

namespace outrider::text {
namespace {

struct Outcome {
  std::string text;
  bool stopped;
  bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << '"' << outcome.text << (outcome.stopped ? "\", stopped" : "\"");
}

Outcome run(const std::vector<std::string>& stops, const std::vector<std::string>& portions) {
  StopStrings matcher(stops);
  std::string text;
  for (const std::string& portion : portions) text += matcher.push(portion);
  text += matcher.flush();
  return {text, matcher.stopped()};
}

/// By definition: the first position where a stop string ends; the longest of those that end there.
Outcome run_plainly(const std::vector<std::string>& stops, const std::string& text) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    std::size_t longest = 0;
    for (const std::string& stop : stops) {
      if (text.substr(0, end).ends_with(stop)) longest = std::max(longest, stop.size());
    }
    if (longest > 0) return {text.substr(0, end - longest), true};
  }
  return {text, false};
}

TEST(StopStrings, CutsTheTextBeforeOne) {
  EXPECT_EQ(run({"STOP"}, {"go on STOP here"}), (Outcome{"go on ", true}));
}

TEST(StopStrings, FindsOneAcrossPortions) {
  EXPECT_EQ(run({"STOP"}, {"a S", "T", "O", "P b", "c"}), (Outcome{"a ", true}));
}

TEST(StopStrings, HoldsBackOnlyWhatMayBeTheBeginningOfOne) {
  StopStrings matcher({"abab!"});
  EXPECT_EQ(matcher.push("xaba"), "x");
  EXPECT_EQ(matcher.push("ba"), "ab");  // "aba" may still become "abab!"
  EXPECT_EQ(matcher.push("c"), "abac");
  EXPECT_EQ(matcher.push("ab"), "");
  EXPECT_EQ(matcher.flush(), "ab");
  EXPECT_FALSE(matcher.stopped());
}

TEST(StopStrings, FindsOneThatBeginsInsideAnIncompleteOne) {
  EXPECT_EQ(run({"aab"}, {"aaab"}), (Outcome{"a", true}));
  EXPECT_EQ(run({"abcabd"}, {"abcabcabd"}), (Outcome{"abc", true}));
  // After "aabaaa" the fallback "aa" is found through "a" only.
  EXPECT_EQ(run({"aabaaaa"}, {"aabaaabaaaa"}), (Outcome{"aaba", true}));
}

TEST(StopStrings, EndsAtTheOneThatIsCompleteFirst) {
  EXPECT_EQ(run({"abcd", "bc"}, {"xabcd"}), (Outcome{"xa", true}));
}

TEST(StopStrings, TakesTheLongestOfThoseCompleteTogether) {
  EXPECT_EQ(run({"c", "abc", "bc"}, {"xabc"}), (Outcome{"x", true}));
}

TEST(StopStrings, GivesNothingMoreOnceStopped) {
  StopStrings matcher({"."});
  EXPECT_EQ(matcher.push("a.b"), "a");
  EXPECT_TRUE(matcher.stopped());
  EXPECT_EQ(matcher.push("c"), "");
  EXPECT_EQ(matcher.flush(), "");
}

TEST(StopStrings, PassesTheTextWithoutStopStrings) {
  StopStrings matcher({});
  EXPECT_EQ(matcher.push("abc"), "abc");
  EXPECT_EQ(matcher.flush(), "");
}

TEST(StopStrings, AgreesWithTheDefinitionForAnyPortions) {
  std::mt19937 random(3);
  const auto word = [&](std::size_t length) {
    std::string letters(length, 'a');
    for (char& letter : letters) letter = static_cast<char>('a' + random() % 2);
    return letters;
  };
  int stopped = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::string> stops(1 + random() % 3);
    for (std::string& stop : stops) stop = word(1 + random() % 7);
    const std::string text = word(random() % 30);
    std::vector<std::string> portions;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t length = random() % 4;  // sometimes empty
      portions.push_back(text.substr(i, length));
      i += length;
    }
    const Outcome outcome = run(stops, portions);
    ASSERT_EQ(outcome, run_plainly(stops, text)) << text;
    if (outcome.stopped) ++stopped;
  }
  EXPECT_GT(stopped, 200);   // otherwise the trials
  EXPECT_LT(stopped, 1800);  // test too little
}

TEST(StopStrings, RefusesWhatCannotBeMatched) {
  test::expect_input_error([] { StopStrings({"a", ""}); }, "empty");
  test::expect_input_error([] { StopStrings({"a", "b\xE2\x82"}); }, "stop string 2", "byte 1");
}

}  // namespace
}  // namespace outrider::text
