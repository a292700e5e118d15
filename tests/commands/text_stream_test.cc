#include "runtime/inference/text_stream.h"

#include <gtest/gtest.h>

#include "tests/commands/tiny_target.h"

namespace outrider {
namespace {

class TextStreamTest : public testing::Test {
 protected:
  std::vector<Token> tokens_of(const std::string& text) {
    return tiny_.target().tokenizer().encode(text, true);
  }

  test::TinyTarget tiny_;
};

TEST_F(TextStreamTest, ShowsWholeCharactersAndALineEnd) {
  testing::internal::CaptureStdout();
  TextStream stream(tiny_.target().tokenizer(), {}, true);
  for (const Token token : tokens_of("a\xf0\x9f\x99\x82z")) EXPECT_TRUE(stream.push(token));
  stream.finish();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a\xf0\x9f\x99\x82z\n");
  EXPECT_EQ(stream.text(), "a\xf0\x9f\x99\x82z");
}

TEST_F(TextStreamTest, EndsBeforeAStopStringThatSpansTokens) {
  TextStream stream(tiny_.target().tokenizer(), {"xyz", "[END]"}, false);
  std::size_t pushed = 0;
  for (const Token token : tokens_of("ab[EN [END] more")) {
    ++pushed;
    if (!stream.push(token)) break;
  }
  stream.finish();
  EXPECT_EQ(stream.text(), "ab[EN ");
  EXPECT_EQ(pushed, tokens_of("ab[EN [END]").size());
}

TEST_F(TextStreamTest, WhatWasHeldBackComesOutAtTheEnd) {
  TextStream stream(tiny_.target().tokenizer(), {"[END]"}, false);
  for (const Token token : tokens_of("ab[EN")) stream.push(token);
  EXPECT_EQ(stream.text(), "ab");
  stream.finish();
  EXPECT_EQ(stream.text(), "ab[EN");
}

}  // namespace
}  // namespace outrider
