#include "runtime/chat/chat.h"

#include <gtest/gtest.h>

#include "runtime/chat/chat_template.h"
#include "runtime/chat/nearest_layout.h"
#include "tests/support/expect_input_error.h"

namespace outrider::text {
namespace {

// From the default model's file; smollm2_text_test.cc checks what it renders.
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
      chat.open(kHello, std::nullopt).text(),
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
  EXPECT_EQ(chat.open(kHello, "Be brief.").text(),
            "<|im_start|>system\nBe brief.<|im_end|>\n" + rest);
  EXPECT_EQ(chat.open(kHello, "").text(), rest);
}

TEST(ChatFormat, ContinuesAfterAnAnswerWithOrWithoutEndOfTurn) {
  const ChatFormat chat = format("chatml", "");
  const std::string next = "<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\n";
  EXPECT_EQ(chat.next_turn("More", true).text(), "\n" + next);
  EXPECT_EQ(chat.next_turn("More", false).text(), "<|im_end|>\n" + next);
  EXPECT_EQ(chat.end_of_turn(), "<|im_end|>");
}

TEST(ChatFormat, HasNoDefaultSystemTurnIfTheTemplateIsUnknown) {
  EXPECT_EQ(format("chatml", "{{ other }}").open(kHello, std::nullopt).text(),
            "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatFormat, LeavesRawTextsAsTheyAre) {
  for (const ChatFormat& chat : {format("raw", kSmolLm2Template), format("auto", "")}) {
    EXPECT_EQ(chat.name(), "raw");
    EXPECT_EQ(chat.open(kHello, std::nullopt).text(), "Hello");
    EXPECT_TRUE(chat.open(kHello, std::nullopt).literals().empty());
    EXPECT_EQ(chat.open(kHello, "").text(), "Hello");
    test::expect_input_error([&] { chat.open(kHello, "Be brief."); }, "a raw text",
                             "no system message");
    EXPECT_EQ(chat.next_turn("More", false).text(), "More");
    EXPECT_EQ(chat.end_of_turn(), "");
  }
}

TEST(ChatFormat, SaysWhatToPassWhenItDoesNotKnowTheTemplate) {
  std::string changed = kSmolLm2Template;
  changed.replace(changed.find("SmolLM,"), 6, "SmolLX");
  test::expect_input_error([&] { format("auto", changed + "{{ x }}"); }, "--chat", "chatml",
                           "or raw; its special tokens are those of chatml");
  test::expect_input_error([&] { format("auto", changed); }, "--chat");
  test::expect_input_error([&] { format("auto", "{{ '<|eot|>' }}"); }, "zephyr or raw");
}

TEST(ChatFormat, NamesTheNearestFormatByTheSpecialTokensOfATemplate) {
  EXPECT_EQ(nearest_layout("'<|start_header_id|>' + role"), "llama-3");
  EXPECT_EQ(nearest_layout("<|start_header_id|> Today Date: "), "llama-3.1");
  EXPECT_EQ(nearest_layout("[INST] <<SYS>>"), "llama-2");
  EXPECT_EQ(nearest_layout("'[INST] ' + x"), "mistral");
  EXPECT_EQ(nearest_layout("<|user|> <|end|>"), "phi-3");
  EXPECT_EQ(nearest_layout("<|user|>"), "zephyr");
  EXPECT_EQ(nearest_layout("<start_of_turn>"), "");
  for (const ChatLayout& layout : chat_layouts()) {
    if (!layout.is_raw) {
      EXPECT_NE(nearest_layout(layout.user.before + layout.user.after + layout.opening), "")
          << layout.name;
    }
  }
}

TEST(ChatFormat, RefusesMessagesThatDoNotAlternate) {
  const ChatFormat chat = format("chatml", "");
  const std::vector<Message> twice = {{"user", "a"}, {"user", "b"}, {"user", "c"}};
  const std::vector<Message> answered = {{"user", "a"}, {"assistant", "b"}};
  const std::vector<Message> foreign = {{"tool", "a"}};
  test::expect_input_error([&] { chat.open(twice, ""); }, "message 2", "'user'", "assistant");
  test::expect_input_error([&] { chat.open(answered, ""); }, "ends with an answer");
  test::expect_input_error([&] { chat.open(foreign, ""); }, "message 1", "'tool'");
}

TEST(ChatFormat, TakesTheEndTokenOfTheModelOrAsksForAnother) {
  TokenizerSpec spec;
  spec.tokens = {"<fin>", "<|im_start|>", "<|im_end|>"};
  spec.kinds.assign(3, TokenKind::kControl);
  test::expect_input_error([&] { ChatFormat::choose("zephyr", spec); }, "zephyr", "end token",
                           "--chat raw");
  spec.eos = 0;
  const ChatFormat chat = ChatFormat::choose("zephyr", spec);
  EXPECT_EQ(chat.end_of_turn(), "<fin>");
  EXPECT_EQ(chat.open(kHello, std::nullopt).text(), "<|user|>\nHello<fin>\n<|assistant|>\n");
}

TEST(ChatFormat, AnswersOfAThinkingModelBeginWithThinking) {
  const ChatFormat chat = format("qwen3", "");
  EXPECT_EQ(chat.answer("<think>\nHm.\n</think>\n\nYes").text(),
            "<think>\nHm.\n</think>\n\nYes<|im_end|>");
  EXPECT_EQ(chat.answer("Yes").text(), "<think>\n\n</think>\n\nYes<|im_end|>");
  EXPECT_TRUE(chat.rewrites(std::nullopt));
  const std::vector<Message> tool = {{"user", "<tool_response>1</tool_response>"}};
  test::expect_input_error([&] { chat.open(tool, ""); }, "tool", "qwen3");
}

TEST(ChatFormat, ASystemMessageThatMovesRewritesEarlierTurns) {
  TokenizerSpec spec;
  spec.tokens = {"<s>", "</s>", "[INST]", "[/INST]"};
  spec.kinds.assign(4, TokenKind::kControl);
  spec.bos = 0;
  spec.eos = 1;
  const ChatFormat chat = ChatFormat::choose("mistral-v3", spec);
  EXPECT_TRUE(chat.rewrites("Be brief."));
  EXPECT_FALSE(chat.rewrites(""));
  EXPECT_FALSE(ChatFormat::choose("mistral", spec).rewrites("Be brief."));
}

TEST(ChatFormat, RefusesAnUnknownName) {
  test::expect_input_error([] { format("llama3", ""); }, "--chat llama3", "auto", "llama-3", "raw");
}

TEST(RecogniseTemplate, IgnoresSpacesQuotesAndEscapes) {
  std::string written = kSmolLm2Template;
  for (std::size_t at = 0; (at = written.find('\n', at)) != std::string::npos; at += 2) {
    written.replace(at, 1, "\\n");
  }
  for (std::size_t at = 0; (at = written.find("{{'", at)) != std::string::npos; at += 3) {
    written.replace(at, 3, "{{  '");
  }
  const auto known = recognise_template(written);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->name, "chatml");
}

// Hugging Face runs templates with trim_blocks: the newline after a statement is not rendered.
TEST(RecogniseTemplate, IgnoresTheNewlineAfterAStatement) {
  std::string written = kSmolLm2Template;
  for (std::size_t at = 0; (at = written.find("%}", at)) != std::string::npos; at += 3) {
    written.replace(at, 2, "%}\n");
  }
  EXPECT_TRUE(recognise_template(written));
  EXPECT_TRUE(recognise_template(written + "\n"));  // Jinja drops one at the end
  EXPECT_FALSE(recognise_template(written + "\n\n"));
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
