#include "runtime/inference/text_stream.h"

#include <gtest/gtest.h>

#include "tests/inference/tiny_target.h"

namespace outrider::inference {
namespace {

class TextStreamTest : public testing::Test {
 protected:
  std::vector<Token> tokens_of(const std::string& text) {
    return tiny_.target().tokenizer().encode(text, true);
  }

  test::TinyTarget tiny_;
};

TEST_F(TextStreamTest, HasWholeCharactersOnly) {
  TextStream stream(tiny_.target().tokenizer(), {});
  for (const Token token : tokens_of("a\xf0\x9f\x99\x82z")) {
    EXPECT_TRUE(stream.push(token));
    EXPECT_TRUE(stream.text() == "a" || stream.text() == "a\xf0\x9f\x99\x82" ||
                stream.text() == "a\xf0\x9f\x99\x82z")
        << stream.text();
  }
  stream.finish();
  EXPECT_EQ(stream.text(), "a\xf0\x9f\x99\x82z");
  EXPECT_EQ(stream.made(), stream.text().size());
}

TEST_F(TextStreamTest, EndsBeforeAStopStringThatSpansTokens) {
  TextStream stream(tiny_.target().tokenizer(), {"xyz", "[END]"});
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
  TextStream stream(tiny_.target().tokenizer(), {"[END]"});
  for (const Token token : tokens_of("ab[EN")) stream.push(token);
  EXPECT_EQ(stream.text(), "ab");
  stream.finish();
  EXPECT_EQ(stream.text(), "ab[EN");
}

}  // namespace
}  // namespace outrider::inference
