#include "runtime/commands/dialogue.h"

#include <gtest/gtest.h>

#include "tests/commands/tiny_target.h"

namespace outrider {
namespace {

constexpr Token kEndOfTurn = 2;  // of the tiny model

class DialogueTest : public testing::Test {
 protected:
  std::string written(const std::vector<Token>& tokens) {
    return tiny_.target().tokenizer().decode(tokens, true);
  }
  std::vector<Token> tokens_of(const std::string& text) {
    return tiny_.target().tokenizer().encode(text, true);
  }

  test::TinyTarget tiny_;
};

TEST_F(DialogueTest, ASecondTurnStandsOnTheAnswerAsTheTemplateWritesIt) {
  Dialogue dialogue(tiny_.target(), "");
  std::vector<Token> asked = dialogue.ask("one");
  EXPECT_EQ(written(asked), "<|im_start|>user\none<|im_end|>\n<|im_start|>assistant\n");
  std::vector<Token> answer = tokens_of("yes");
  answer.push_back(kEndOfTurn);
  dialogue.answered(std::move(asked), answer);
  EXPECT_EQ(written(dialogue.ask("two")),
            "<|im_start|>user\none<|im_end|>\n<|im_start|>assistant\nyes<|im_end|>\n"
            "<|im_start|>user\ntwo<|im_end|>\n<|im_start|>assistant\n");
}

TEST_F(DialogueTest, AnAnswerThatWasCutShortIsClosed) {
  Dialogue dialogue(tiny_.target(), "");
  dialogue.answered(dialogue.ask("one"), tokens_of("ye"));
  EXPECT_NE(written(dialogue.ask("two")).find("assistant\nye<|im_end|>\n<|im_start|>user\ntwo"),
            std::string::npos);
}

TEST_F(DialogueTest, AskingChangesNothingUntilItIsAnswered) {
  const Dialogue dialogue(tiny_.target(), "be brief");
  EXPECT_EQ(dialogue.ask("one"), dialogue.ask("one"));
  EXPECT_EQ(written(dialogue.ask("one")).rfind("<|im_start|>system\nbe brief<|im_end|>\n", 0), 0u);
}

TEST_F(DialogueTest, MostAddedCoversTheMessageItsFrameAndItsAnswer) {
  Dialogue dialogue(tiny_.target(), "");
  const std::vector<Token> asked = dialogue.ask("one");
  const std::size_t before = asked.size();
  const std::vector<Token> answer = tokens_of("0123456789");
  dialogue.answered(asked, answer);
  const auto added = static_cast<std::int64_t>(dialogue.ask("two").size() - before - answer.size());
  EXPECT_GE(dialogue.most_added("two", 10), added + 10);
}

}  // namespace
}  // namespace outrider
