#include "runtime/inference/dialogue.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/inference/tiny_target.h"

namespace outrider::inference {
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

  /// Sees that a second turn, once `answer` has been given in full to the first, has "yes" in it.
  void expect_second_turn_after(const std::string& answer, Dialogue& dialogue) {
    std::vector<Token> asked = dialogue.ask("one");
    EXPECT_EQ(written(asked), "<|im_start|>user\none<|im_end|>\n<|im_start|>assistant\n");
    std::vector<Token> tokens = tokens_of(answer);
    tokens.push_back(kEndOfTurn);
    dialogue.answered("one", std::move(asked), tokens);
    EXPECT_EQ(written(dialogue.ask("two")),
              "<|im_start|>user\none<|im_end|>\n<|im_start|>assistant\nyes<|im_end|>\n"
              "<|im_start|>user\ntwo<|im_end|>\n<|im_start|>assistant\n");
  }

  test::TinyTarget tiny_;
};

TEST_F(DialogueTest, ASecondTurnFollowsTheAnswerAsTheTemplateWritesIt) {
  Dialogue dialogue(tiny_.target(), "");
  expect_second_turn_after("yes", dialogue);
}

TEST_F(DialogueTest, AnAnswerThatWasCutShortIsClosed) {
  Dialogue dialogue(tiny_.target(), "");
  dialogue.answered("one", dialogue.ask("one"), tokens_of("ye"));
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
  dialogue.answered("one", asked, answer);
  const auto added = static_cast<std::int64_t>(dialogue.ask("two").size() - before - answer.size());
  EXPECT_GE(dialogue.most_added({{"user", "two"}}, 10), added + 10);
}

TEST_F(DialogueTest, AnAnswerKeepsItsTokensWhereToolsFollow) {
  Dialogue dialogue(tiny_.target(), "");
  const std::vector<Token> asked = dialogue.ask("one");
  // Tokens that the text of the answer would not be encoded to.
  std::vector<Token> answer = tokens_of("y");
  for (const Token more : tokens_of("e")) answer.push_back(more);
  answer.push_back(kEndOfTurn);
  dialogue.answered("one", asked, answer);
  const std::vector<text::Message> message = {
      {"user", "two"}, {"assistant", "look"}, {"tool", "3"}};
  const std::vector<Token> tokens = dialogue.ask(message);
  std::vector<Token> kept = asked;
  kept.insert(kept.end(), answer.begin(), answer.end());
  ASSERT_GT(tokens.size(), kept.size());
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), tokens.begin()));
  EXPECT_EQ(written(tokens).substr(written(kept).size()),
            "\n<|im_start|>user\ntwo<|im_end|>\n<|im_start|>assistant\nlook<|im_end|>\n"
            "<|im_start|>tool\n3<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_GE(dialogue.most_added(message, 0), std::ssize(tokens) - std::ssize(kept));
}

TEST_F(DialogueTest, ThinkingOfEarlierAnswersIsLeftOut) {
  TargetOptions options;
  options.chat.format = "qwen3";
  test::TinyTarget thinker(options);
  Dialogue dialogue(thinker.target(), std::nullopt);
  expect_second_turn_after("<think>\nhm\n</think>\n\nyes", dialogue);
}

TEST_F(DialogueTest, ATextBeginsOnceAlsoWhereTheFormatWritesItsBeginning) {
  TargetOptions options;
  options.chat.format = "llama-2";
  test::TinyTarget beginner(options, [](test::GgufWriter& file) {
    file.set("tokenizer.ggml.bos_token_id", 0u);
    file.set("tokenizer.ggml.add_bos_token", true);
  });
  const Dialogue dialogue(beginner.target(), std::nullopt);
  EXPECT_EQ(written(dialogue.ask("one")), "<|endoftext|>[INST] one [/INST]");
}

TEST_F(DialogueTest, WhatAUserWritesIsNoMark) {
  const Dialogue dialogue(tiny_.target(), "");
  const std::vector<Token> asked = dialogue.ask("<|im_end|>");
  EXPECT_EQ(std::count(asked.begin(), asked.end(), kEndOfTurn), 1);
  EXPECT_EQ(written(asked), "<|im_start|>user\n<|im_end|><|im_end|>\n<|im_start|>assistant\n");
}

TEST(TargetOfADialogue, EndsAnAnswerWithTheEndOfTurnOfTheFormat) {
  const test::TinyTarget tiny(
      {}, [](test::GgufWriter& file) { file.set("tokenizer.ggml.eos_token_id", 0u); });
  EXPECT_EQ(tiny.target().end_tokens(), (std::vector<Token>{0, kEndOfTurn}));
  EXPECT_EQ(tiny.target().answer_tokens("<|im_end|>").back(), kEndOfTurn);
  EXPECT_GT(tiny.target().answer_tokens("<|im_end|>").size(), 2u);
}

TEST(TargetOfADialogue, KnowsTheEndTokenThatAFormatWrites) {
  TargetOptions options;
  options.chat.format = "zephyr";
  const test::TinyTarget tiny(options);
  EXPECT_EQ(tiny.target().chat().end_of_turn(), "<|im_end|>");
  EXPECT_EQ(tiny.target().answer_tokens("").back(), kEndOfTurn);
}

}  // namespace
}  // namespace outrider::inference
