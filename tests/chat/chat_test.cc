#include "runtime/chat/chat.h"

#include <gtest/gtest.h>

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

TokenizerSpec spec_of(const std::string& chat_template) {
  TokenizerSpec spec;
  spec.tokens = {"<|im_start|>", "<|im_end|>", "<s>", "</s>"};
  spec.kinds.assign(spec.tokens.size(), TokenKind::kControl);
  spec.bos = 2;
  spec.eos = 3;
  spec.chat_template = chat_template;
  return spec;
}

ChatFormat format(const std::string& name, const std::string& chat_template) {
  return ChatFormat::choose({.format = name}, spec_of(chat_template));
}

const Conversation kHello{{{"user", "Hello"}}};

Conversation with_system(std::optional<std::string> system) {
  Conversation made = kHello;
  made.system = std::move(system);
  return made;
}

std::string opened(const ChatFormat& chat, const Conversation& conversation) {
  return chat.open(conversation).text.text();
}

/// The literal parts of a prompt, with bars between.
std::string literals(const PromptText& text) {
  std::string all;
  for (const TextSpan& part : text.literals())
    all += "|" + text.text().substr(part.begin, part.end - part.begin);
  return all;
}

TEST(ChatFormat, RendersTheDefaultModelsTemplateAndItsSystemTurn) {
  const ChatFormat chat = format("auto", kSmolLm2Template);
  EXPECT_EQ(chat.name(), "auto");
  EXPECT_EQ(opened(chat, kHello), std::string(kDefaultSystem) +
                                      "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(chat.end_of_turn(), "<|im_end|>");
  EXPECT_EQ(chat.before_answer(), "<|im_start|>assistant\n");
  EXPECT_EQ(chat.answer("Hi").text(), "Hi<|im_end|>");
  EXPECT_EQ(chat.answer("").text(), "<|im_end|>");
}

TEST(ChatFormat, WhatUsersWriteIsLiteralHoweverTheTemplateCutsIt) {
  const ChatFormat chat = format("auto",
                                 "{% for m in messages %}{{ '<|im_start|>' ~ m.role ~ '\n' ~ "
                                 "(m.content|trim).split('&')|join('+') "
                                 "~ '<|im_end|>' }}{% endfor %}");
  const auto text = chat.open({{{"user", " <|im_end|>&<s> "}}, "<|im_end|>"}).text;
  EXPECT_EQ(text.text(),
            "<|im_start|>system\n<|im_end|><|im_end|><|im_start|>user\n<|im_end|>+<s><|im_end|>");
  EXPECT_EQ(literals(text), "|<|im_end|>|<|im_end|>|<s>");
  EXPECT_EQ(literals(chat.answer("<s>")), "|<s>");
}

TEST(ChatFormat, RefusesANamedFormatWhereAMarkIsNoSpecialToken) {
  for (const std::size_t lacking : {0u, 1u}) {
    TokenizerSpec spec = spec_of("");
    spec.kinds[lacking] = TokenKind::kNormal;
    test::expect_input_error([&] { ChatFormat::choose({.format = "chatml"}, spec); },
                             spec.tokens[lacking], "--chat raw");
  }
}

TEST(ChatFormat, ReplacesTheSystemTurnOrLeavesItOut) {
  const ChatFormat chat = format("auto", kSmolLm2Template);
  const std::string rest = "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n";
  EXPECT_EQ(opened(chat, with_system("Be brief.")),
            "<|im_start|>system\nBe brief.<|im_end|>\n" + rest);
  EXPECT_EQ(opened(chat, with_system("")), rest);
  EXPECT_EQ(opened(format("qwen", ""), with_system("")), rest);
  // Where it stands in the first message, with a default or without.
  const std::string inside =
      "{% if messages[0].role == 'system' %}{% set system = messages[0].content ~ '\\n\\n' %}"
      "{% endif %}{% for m in messages if m.role != 'system' %}<|im_start|>{{ system if loop.first "
      "}}{{ m.content }}{% endfor %}";
  EXPECT_EQ(opened(format("auto", inside), with_system("")), "<|im_start|>Hello");
  EXPECT_EQ(opened(format("auto", "{% set system = 'Help.' %}" + inside), with_system("")),
            "<|im_start|>\n\nHello");
  // After a beginning of text, which stays.
  const std::string begins = std::string("{{ bos_token }}") + kSmolLm2Template;
  EXPECT_EQ(opened(format("auto", begins), with_system("")), "<s>" + rest);
}

TEST(ChatFormat, SaysWhenATemplateHasNoSystemMessage) {
  const char* drops = "{% for m in messages if m.role == 'user' %}{{ m.content }}{% endfor %}";
  const char* refuses =
      "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('System role not "
      "supported') }}{% endif %}{{ m.content }}{% endfor %}";
  test::expect_input_error([&] { opened(format("auto", drops), with_system("Be brief.")); },
                           "the model's chat template: it has no system message");
  test::expect_input_error([&] { opened(format("auto", refuses), with_system("Be brief.")); },
                           "the model's chat template: it refuses the conversation: System role");
  EXPECT_EQ(opened(format("auto", drops), with_system("")), "Hello");
  EXPECT_EQ(opened(format("auto", refuses), with_system("")), "Hello");
}

TEST(ChatFormat, LeavesRawTextsAsTheyAre) {
  for (const ChatFormat& chat : {format("raw", kSmolLm2Template), format("auto", "")}) {
    EXPECT_EQ(chat.name(), "raw");
    EXPECT_EQ(opened(chat, kHello), "Hello");
    EXPECT_TRUE(chat.open(kHello).text.literals().empty());
    EXPECT_EQ(opened(chat, with_system("")), "Hello");
    test::expect_input_error([&] { opened(chat, with_system("Be brief.")); }, "a raw text",
                             "no system message");
    EXPECT_EQ(chat.next_turn({{"user", "More"}}).text(), "More");
    EXPECT_EQ(chat.end_of_turn(), "");
    EXPECT_EQ(chat.answer("a").text(), "a");
  }
}

TEST(ChatFormat, SaysWhereATemplateCannotBeRead) {
  test::expect_input_error(
      [] { format("auto", "a\n{% if x %}"); },
      "the model's chat template: line 2, column 11: ", "--chat: chatml, llama-2");
  test::expect_input_error([] { format("llama3", ""); }, "--chat llama3", "auto", "llama-3", "raw");
}

TEST(ChatFormat, TakesTheEndTokenOfTheModelOrAsksForAnother) {
  TokenizerSpec spec = spec_of("");
  spec.eos = -1;
  test::expect_input_error([&] { ChatFormat::choose({.format = "zephyr"}, spec); }, "zephyr",
                           "end token", "--chat raw");
  spec.eos = 1;
  const ChatFormat chat = ChatFormat::choose({.format = "zephyr"}, spec);
  EXPECT_EQ(chat.end_of_turn(), "<|im_end|>");
  EXPECT_EQ(opened(chat, kHello), "<|user|>\nHello<|im_end|>\n<|assistant|>\n");
}

TEST(ChatFormat, AnAnswerEndsWithTheTokenThatTheLastOneHas) {
  const char* harmony =
      "{% for m in messages %}{{ '<s>' ~ m.content ~ ('</s>' if loop.last and m.role == "
      "'assistant' and not add_generation_prompt else '<|im_end|>') }}{% endfor %}";
  const ChatFormat chat = format("auto", harmony);
  EXPECT_EQ(chat.end_of_turn(), "</s>");
  // The token that was generated is another than that of an earlier answer.
  const Conversation all{{{"user", "a"}, {"assistant", "b"}, {"user", "c"}}};
  EXPECT_FALSE(chat.after_answer(chat.open(all), "<s>a<|im_end|><s>", true));
  // Where only the next turn's mark ends an answer, that is its end.
  EXPECT_EQ(format("auto", "{% for m in messages %}{{ '<|im_start|>' ~ m.content }}{% endfor %}")
                .end_of_turn(),
            "<|im_start|>");
  EXPECT_EQ(
      format("auto", "{% for m in messages %}{{ '<s>' ~ m.content }}{% endfor %}").end_of_turn(),
      "");
}

TEST(ChatFormat, EarlierTurnsThatAreWrittenOtherwiseAreEncodedAgain) {
  const ChatFormat chat = format("qwen3", "");
  const std::string before = opened(chat, {{{"user", "a"}}});
  const auto after = [&](const std::string& answer) {
    const auto whole = chat.open({{{"user", "a"}, {"assistant", answer}, {"user", "c"}}});
    return chat.after_answer(whole, before, true).has_value();
  };
  EXPECT_TRUE(after("b"));
  EXPECT_FALSE(after("<think>\nHm.\n</think>\n\nb"));
  EXPECT_FALSE(after(""));
  EXPECT_EQ(chat.answer("<think>\nHm.\n</think>\n\nYes").text(),
            "<think>\nHm.\n</think>\n\nYes<|im_end|>");
  EXPECT_EQ(chat.answer("Yes").text(), "<think>\n\n</think>\n\nYes<|im_end|>");
  const char* moves =
      "{% for m in messages if m.role != 'system' %}{{ m.content }}"
      "{% if loop.last %}{{ messages[0].content }}{% endif %}{% endfor %}";
  const auto moved =
      format("auto", moves).open({{{"user", "a"}, {"assistant", "b"}, {"user", "c"}}, "S"});
  EXPECT_FALSE(format("auto", moves).after_answer(moved, "aS", false));
}

TEST(ChatFormat, GivesATemplateItsArguments) {
  const char* jinja =
      "{{ size + 1 if size is defined }}{{ style }}{{ messages[0].content }}"
      "{% if enable_thinking is defined and not enable_thinking %}<s>{% endif %}";
  const auto chat = [&](const ChatOptions& options) {
    return opened(ChatFormat::choose(options, spec_of(jinja)), kHello);
  };
  EXPECT_EQ(chat({}), "Hello");
  EXPECT_EQ(chat({.arguments = {{"size", "2"}, {"style", "wide"}}}), "3wideHello");
  EXPECT_EQ(chat({.thinking = false}), "Hello<s>");
  test::expect_input_error(
      [&] {
        chat({.arguments = {{"colour", "2"}}});
      },
      "--template-arg colour: the chat template does not use it");
  test::expect_input_error(
      [&] {
        chat({.arguments = {{"messages", "[]"}}});
      },
      "--template-arg messages: is set by the conversation itself");
  test::expect_input_error(
      [&] {
        chat({.arguments = {{"size", std::string(5000, '[') + std::string(5000, ']')}}});
      },
      "--template-arg size: lists and dictionaries are nested more than 100 deep");
  test::expect_input_error(
      [] { ChatFormat::choose({.thinking = false}, spec_of(kSmolLm2Template)); }, "--no-thinking",
      "no switch");
}

TEST(ChatFormat, SaysWhoseTemplateDoesNotTakeAnAnswer) {
  const ChatFormat chat = format(
      "auto",
      "{% for m in messages %}{% if m.content == 'no' %}{{ raise_exception('not that') }}{% endif "
      "%}{% if m.content == 'lost' %}{{ m.content / 2 }}{% endif %}{{ m.content }}{% endfor %}");
  test::expect_input_error([&] { chat.answer("no"); },
                           "the model's chat template: it refuses the conversation: not that");
  EXPECT_THROW(chat.answer("no"), jinja::TemplateRefusal);
  const auto fails = [&] { chat.answer("lost"); };
  test::expect_input_error(fails, "the model's chat template: line 1, column ");
  try {
    fails();
  } catch (const jinja::TemplateRefusal&) {
    ADD_FAILURE() << "a mistake in a template is no refusal";
  } catch (const jinja::TemplateError&) {
  }
}

TEST(ChatFormat, GivesATemplateTheDate) {
  const TokenizerSpec spec =
      spec_of("{{ strftime_now('%d %b %Y %H:%M') }}{{ messages[0].content }}");
  const ChatFormat chat = ChatFormat::choose({.today = "2024-02-29"}, spec);
  EXPECT_EQ(opened(chat, kHello), "29 Feb 2024 00:00Hello");
  EXPECT_EQ(chat.date(), "2024-02-29");
  EXPECT_EQ(ChatFormat::choose({}, spec).date().size(), 10u);
  EXPECT_EQ(format("auto", kSmolLm2Template).date(), "");
  for (const char* wrong : {"2024-13-01", "2024-2-29", "yesterday", "2024-02-2x"}) {
    test::expect_input_error([&] { ChatFormat::choose({.today = wrong}, spec); }, "--today", wrong);
  }
}

TEST(ChatFormat, GivesATemplateToolsAndTheirMessages) {
  const ChatFormat chat =
      format("auto",
             "{% for t in tools or [] %}{{ t | tojson ~ '\n' }}{% endfor %}{% for m "
             "in messages %}{{ m.role ~ ': ' ~ "
             "m.content }}{% for c in m.tool_calls or [] %}{{ c.function.name "
             "}}({{ c.function.arguments|tojson "
             "}}){% endfor %}{{ '\n' }}{% endfor %}");
  const Conversation conversation{
      {{"user", "Now?"},
       {"assistant", "",
        R"({"role": "assistant", "content": "",
            "tool_calls": [{"function": {"name": "time", "arguments": {"b": 1, "a": "<s>"}}}]})"},
       {"tool", "noon", R"({"role": "tool", "content": "noon", "name": "time"})"}},
      {},
      R"([{"name": "time", "description": "<s>"}])"};
  const PromptText text = chat.open(conversation).text;
  EXPECT_EQ(text.text(),
            "{\"name\": \"time\", \"description\": \"<s>\"}\nuser: Now?\nassistant: "
            "time({\"b\": 1, \"a\": \"<s>\"})\ntool: noon\n");
  EXPECT_NE(literals(text).find("|<s>"), std::string::npos);
}

}  // namespace
}  // namespace outrider::text
