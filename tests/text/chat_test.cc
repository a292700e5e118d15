#include "runtime/text/chat.h"

#include <gtest/gtest.h>

#include "runtime/text/chat_template.h"
#include "tests/support/expect_input_error.h"

namespace outrider::text {
namespace {

// Stands in the default model's file; smollm2_text_test.cc checks what it renders.
constexpr const char* kSmolLm2Template =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ "
    "'<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
    "Face<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + "
    "message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ "
    "'<|im_start|>assistant\n' }}{% endif %}";

constexpr const char* kDefaultSystem =
    "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
    "Face<|im_end|>\n";

ChatFormat format(const std::string& name, const std::string& chat_template) {
  TokenizerSpec spec;
  spec.tokens = {"<|im_start|>", "<|im_end|>"};
  spec.kinds.assign(2, TokenKind::kControl);
  spec.chat_template = chat_template;
  return ChatFormat::choose(name, spec);
}

const std::vector<Message> kHello = {{"user", "Hello"}};

TEST(ChatFormat, KnowsTheDefaultModelsTemplateAndItsSystemTurn) {
  const ChatFormat chat = format("auto", kSmolLm2Template);
  EXPECT_EQ(chat.name(), "chatml");
  EXPECT_EQ(
      chat.open(kHello, std::nullopt),
      std::string(kDefaultSystem) + "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatFormat, RefusesChatMlWhereAMarkIsNoSpecialToken) {
  TokenizerSpec spec;
  spec.tokens = {"<|im_start|>", "<|im_end|>"};
  for (const std::size_t lacking : {0u, 1u}) {
    spec.kinds.assign(2, TokenKind::kControl);
    spec.kinds[lacking] = TokenKind::kNormal;
    for (const char* chat_template : {"", kSmolLm2Template}) {
      spec.chat_template = chat_template;
      test::expect_input_error(
          [&] { ChatFormat::choose(spec.chat_template.empty() ? "chatml" : "auto", spec); },
          spec.tokens[lacking], "--chat raw");
    }
  }
}

TEST(ChatFormat, ReplacesTheSystemTurnOrLeavesItOut) {
  const ChatFormat chat = format("auto", kSmolLm2Template);
  const std::string rest = "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n";
  EXPECT_EQ(chat.open(kHello, "Be brief."), "<|im_start|>system\nBe brief.<|im_end|>\n" + rest);
  EXPECT_EQ(chat.open(kHello, ""), rest);
}

TEST(ChatFormat, GoesOnAfterAnAnswerThatIsClosedOrNot) {
  const ChatFormat chat = format("chatml", "");
  const std::string next = "<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\n";
  EXPECT_EQ(chat.next_turn("More", true), "\n" + next);
  EXPECT_EQ(chat.next_turn("More", false), "<|im_end|>\n" + next);
  EXPECT_EQ(chat.end_of_turn(), "<|im_end|>");
}

TEST(ChatFormat, ContinuesInTheSameTextAsAConversationWrittenAtOnce) {
  const ChatFormat chat = format("auto", kSmolLm2Template);
  const std::vector<Message> all = {{"user", "Hello"}, {"assistant", "Hi"}, {"user", "More"}};
  const std::string at_once = chat.open(all, std::nullopt);
  const std::string opened = chat.open(kHello, std::nullopt);
  EXPECT_EQ(opened + "Hi<|im_end|>" + chat.next_turn("More", true), at_once);
  EXPECT_EQ(opened + "Hi" + chat.next_turn("More", false), at_once);
}

TEST(ChatFormat, HasNoSystemTurnOfItsOwnWhereTheTemplateIsNotKnown) {
  EXPECT_EQ(format("chatml", "{{ other }}").open(kHello, std::nullopt),
            "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatFormat, LeavesRawTextsAsTheyAre) {
  for (const ChatFormat& chat : {format("raw", kSmolLm2Template), format("auto", "")}) {
    EXPECT_EQ(chat.name(), "raw");
    EXPECT_EQ(chat.open(kHello, std::nullopt), "Hello");
    EXPECT_EQ(chat.next_turn("More", false), "More");
    EXPECT_EQ(chat.end_of_turn(), "");
  }
}

TEST(ChatFormat, SaysWhatToPassWhenItDoesNotKnowTheTemplate) {
  std::string changed = kSmolLm2Template;
  changed.replace(changed.find("SmolLM,"), 6, "SmolLX");
  test::expect_input_error([&] { format("auto", changed + "{{ x }}"); }, "--chat", "chatml", "raw");
  test::expect_input_error([&] { format("auto", changed); }, "--chat");
}

TEST(ChatFormat, RefusesANameThatIsNone) {
  test::expect_input_error([] { format("llama3", ""); }, "--chat llama3", "auto", "chatml", "raw");
}

TEST(RecogniseTemplate, LooksPastSpacesQuotesAndEscapes) {
  std::string written = kSmolLm2Template;
  for (std::size_t at = 0; (at = written.find('\n', at)) != std::string::npos; at += 2) {
    written.replace(at, 1, "\\n");
  }
  for (std::size_t at = 0; (at = written.find("{{'", at)) != std::string::npos; at += 3) {
    written.replace(at, 3, "{{  '");
  }
  const auto known = recognise_template(written);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->format, "chatml");
}

// Hugging Face runs templates with trim_blocks: the newline after a statement is not rendered.
TEST(RecogniseTemplate, LooksPastTheNewlineAfterAStatement) {
  std::string written = kSmolLm2Template;
  for (std::size_t at = 0; (at = written.find("%}", at)) != std::string::npos; at += 3) {
    written.replace(at, 2, "%}\n");
  }
  EXPECT_TRUE(recognise_template(written));
  EXPECT_FALSE(recognise_template(written + "\n"));
}

TEST(RecogniseTemplate, RefusesADifferenceThatWouldBeRendered) {
  const std::string base = kSmolLm2Template;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = base;
    text.replace(text.find(from), from.size(), to);
    return recognise_template(text);
  };
  EXPECT_TRUE(recognise_template(base));
  EXPECT_FALSE(with("Hugging Face", "Hugging  Face"));
  EXPECT_FALSE(with("'role'", "'name'"));
  EXPECT_FALSE(with("{% endfor %}", "{% endfor %} "));
  EXPECT_FALSE(with("!=", "=="));
  EXPECT_FALSE(with("assistant\n", "assistant\\\\n"));
  EXPECT_FALSE(with("{% endif %}{{'", "{% endif %}\n\n{{'"));
  EXPECT_FALSE(with("in messages", "in_messages"));
  EXPECT_FALSE(with("add_generation", "add _generation"));
}

}  // namespace
}  // namespace outrider::text
