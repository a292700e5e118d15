// Chat formats against the templates of models, rendered by jinja2: golden/make_chat.py.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/base/text_file.h"
#include "runtime/chat/chat.h"
#include "runtime/chat/chat_template.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/source_path.h"

namespace outrider::text {
namespace {

using nlohmann::json;

const json& golden() {
  static const json read = json::parse(
      read_text_file(test::source_path("tests/golden/chat.json"), std::size_t{1} << 24));
  return read;
}

/// A vocabulary that has all the marks.
TokenizerSpec spec() {
  TokenizerSpec spec;
  spec.tokens = {golden()["bos"], golden()["eos"]};
  for (const ChatLayout& layout : chat_layouts())
    spec.tokens.insert(spec.tokens.end(), layout.marks.begin(), layout.marks.end());
  for (const char* mark : {"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"}) spec.tokens.push_back(mark);
  spec.kinds.assign(spec.tokens.size(), TokenKind::kControl);
  spec.bos = 0;
  spec.eos = 1;
  return spec;
}

std::optional<ChatLayout> layout_of(const json& known) {
  if (!known.contains("hash")) return find_layout(known["name"].get<std::string>());
  return known_layout(std::stoull(known["hash"].get<std::string>(), nullptr, 16));
}

struct Dialogue {
  explicit Dialogue(const json& written) {
    for (const json& message : written) {
      if (message["role"] == "system") {
        system = message["content"];
      } else {
        messages.push_back({message["role"], message["content"]});
      }
    }
  }
  std::optional<std::string> system;
  std::vector<Message> messages;
};

TEST(ChatGolden, EveryKnownTemplateIsRenderedAsByJinja) {
  ASSERT_GE(golden()["templates"].size(), 30u);
  for (const json& known : golden()["templates"]) {
    SCOPED_TRACE(known["name"].get<std::string>());
    const auto layout = layout_of(known);
    ASSERT_TRUE(layout);
    const ChatFormat chat(*layout, spec());
    for (std::size_t i = 0; i < known["rendered"].size(); ++i) {
      const Dialogue dialogue(golden()["dialogues"][i]);
      const json& rendered = known["rendered"][i];
      if (rendered.is_null()) {
        test::expect_input_error([&] { chat.open(dialogue.messages, dialogue.system); },
                                 chat.name(), "no system message");
      } else {
        EXPECT_EQ(chat.open(dialogue.messages, dialogue.system).text(), rendered);
      }
    }
  }
}

// There is a rendered template for each of these names.
TEST(ChatGolden, EveryFormatHasARenderedTemplate) {
  for (const ChatLayout& layout : chat_layouts()) {
    if (layout.is_raw) continue;
    const json& all = golden()["templates"];
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const json& known) {
      return layout_of(known)->name == layout.name;
    })) << layout.name;
  }
}

TEST(ChatGolden, TurnByTurnGivesTheSameTextAsTheWholeConversation) {
  const std::vector<Message> all = {{"user", "Hello"}, {"assistant", "Hi."}, {"user", "More"}};
  const std::span<const Message> first(all.data(), 1);
  for (const json& known : golden()["templates"]) {
    SCOPED_TRACE(known["name"].get<std::string>());
    const ChatFormat chat(layout_of(known).value(), spec());
    if (chat.rewrites(std::nullopt)) continue;
    const std::string at_once = chat.open(all, std::nullopt).text();
    const std::string opened = chat.open(first, std::nullopt).text();
    const std::string answer = chat.answer("Hi.").text();
    EXPECT_EQ(opened + answer + chat.next_turn("More", true).text(), at_once);
    const std::string cut = answer.substr(0, answer.find("Hi.") + 3);
    EXPECT_EQ(opened + cut + chat.next_turn("More", false).text(), at_once);
    EXPECT_TRUE(answer.ends_with(chat.end_of_turn()));
    EXPECT_FALSE(chat.end_of_turn().empty());
    EXPECT_NE(opened.find(chat.before_answer()), std::string::npos);
  }
}

TEST(ChatGolden, TheNormalFormIsThatOfTheScript) {
  EXPECT_GE(golden()["forms"].size(), 4u);
  for (const json& form : golden()["forms"]) {
    const auto jinja = form["jinja"].get<std::string>();
    EXPECT_EQ(template_hash(jinja), std::stoull(form["hash"].get<std::string>(), nullptr, 16))
        << normalise_template(jinja);
  }
}

}  // namespace
}  // namespace outrider::text
