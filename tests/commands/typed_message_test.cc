#include "runtime/commands/typed_message.h"

#include <gtest/gtest.h>

#include <string_view>

namespace outrider {
namespace {

/// What is shown for some bytes.
std::string type(TypedMessage& message, std::string_view bytes) {
  std::string shown;
  for (const char byte : bytes) shown += message.push(byte);
  return shown;
}

TEST(TypedMessage, EndsWithTheLine) {
  for (const char* end : {"\n", "\r"}) {
    TypedMessage message;
    EXPECT_EQ(type(message, "caf\u00e9\tau lait"), "caf\u00e9 au lait");
    EXPECT_FALSE(message.is_done());
    EXPECT_EQ(type(message, end), "\n");
    EXPECT_TRUE(message.is_done());
    EXPECT_EQ(message.text(), "caf\u00e9\tau lait");
    EXPECT_FALSE(message.was_pasted());
  }
}

TEST(TypedMessage, KeepsTheLinesOfWhatIsPasted) {
  TypedMessage message;
  EXPECT_EQ(type(message, "Why:\x1b[200~def f(x):\r\n\treturn x\ry\n\x1b[201~?"),
            "Why:def f(x):\n return x\ny\n?");
  EXPECT_FALSE(message.is_done());
  EXPECT_TRUE(message.was_pasted());
  type(message, "\r");
  EXPECT_TRUE(message.is_done());
  EXPECT_EQ(message.text(), "Why:def f(x):\n\treturn x\ny\n?");
}

TEST(TypedMessage, TakesControlCharactersInAPasteAsText) {
  TypedMessage message;
  type(message, "\x1b[200~a\x04\x7f\x1b[200 b\x1b[201~\n");
  EXPECT_EQ(message.text(), "a\x04\x7f\x1b[200 b");
  EXPECT_TRUE(message.is_done());
}

TEST(TypedMessage, IsEdited) {
  TypedMessage message;
  EXPECT_EQ(type(message, "ab\x7f"), "ab\b \b");
  type(message, "\u00e9\b");
  EXPECT_EQ(message.text(), "a");
  type(message, " long word\x17");
  EXPECT_EQ(message.text(), "a long ");
  type(message, "\x15");
  EXPECT_EQ(message.text(), "");
  EXPECT_EQ(type(message, "\x7f"), "");
  type(message, "\x1b[200~x\ny\x1b[201~");
  EXPECT_EQ(type(message, "\x7f\x7f"), "\b \b\n> x");
  EXPECT_EQ(message.text(), "x");
}

TEST(TypedMessage, IgnoresOtherKeys) {
  TypedMessage message;
  EXPECT_EQ(type(message, "a\x1b[A\x1b[1;5C\x1bOP\x1bx\x01z"), "az");
  EXPECT_EQ(message.text(), "az");
}

TEST(TypedMessage, EndsTheConversationWithCtrlDWhereThereIsNone) {
  TypedMessage message;
  type(message, "a\x04");
  EXPECT_FALSE(message.is_end());
  type(message, "\x7f\x04");
  EXPECT_TRUE(message.is_end());
}

}  // namespace
}  // namespace outrider
