#include "runtime/tokenizer/word_edges.h"

#include <gtest/gtest.h>

#include <string>

namespace outrider::text {
namespace {

TEST(WordEdges, AreAtLettersMarksDigitsAndConnectors) {
  for (const char* word :
       {"a", "é", "\u0301", "\u0663", "_", "\u203F", "中", "\u200D", "\u2160", "\u24B6"}) {
    EXPECT_TRUE(word_begins_at(word, 0)) << word;
    const std::string text = std::string(".") + word;
    EXPECT_TRUE(word_ends_at(text, text.size())) << word;
  }
  for (const char* other : {" ", ".", "-", "½", "²", "\u2014", "\U0001F600", "<", "\n"}) {
    EXPECT_FALSE(word_begins_at(other, 0)) << other;
    const std::string text = std::string("a") + other;
    EXPECT_FALSE(word_ends_at(text, text.size())) << other;
  }
  EXPECT_FALSE(word_ends_at("a", 0));
  EXPECT_FALSE(word_begins_at("a", 1));
}

TEST(WordEdges, FindWhiteSpaceByUnicode) {
  EXPECT_EQ(leading_spaces(" \t\u3000a "), 5u);
  EXPECT_EQ(leading_spaces("a "), 0u);
  EXPECT_EQ(leading_spaces(" \n"), 2u);
  EXPECT_EQ(trimmed_length(" a\u00a0\n "), 2u);
  EXPECT_EQ(trimmed_length("aé"), 3u);
  EXPECT_EQ(trimmed_length(" \u2003"), 0u);
  EXPECT_EQ(trimmed_length(""), 0u);
}

}  // namespace
}  // namespace outrider::text
