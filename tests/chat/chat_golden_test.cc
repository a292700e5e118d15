// Named chat formats against the templates of models that they stand for, rendered by jinja2:
// golden/make_chat.py.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/base/text_file.h"
#include "runtime/chat/chat.h"
#include "runtime/chat/named_formats.h"
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
  for (const NamedFormat& format : named_formats())
    spec.tokens.insert(spec.tokens.end(), format.marks.begin(), format.marks.end());
  spec.kinds.assign(spec.tokens.size(), TokenKind::kControl);
  spec.bos = 0;
  spec.eos = 1;
  return spec;
}

ChatFormat format_of(const json& known) {
  return ChatFormat::choose({.format = known["format"].get<std::string>()}, spec());
}

Conversation conversation(const json& written) {
  Conversation made;
  for (const json& message : written) {
    if (message["role"] == "system") {
      made.system = message["content"];
    } else {
      made.messages.push_back({message["role"], message["content"]});
    }
  }
  return made;
}

TEST(ChatGolden, EveryFormatIsRenderedAsItsTemplateByJinja) {
  EXPECT_EQ(golden()["templates"].size() + 1, named_formats().size());  // all but raw
  for (const json& known : golden()["templates"]) {
    SCOPED_TRACE(known["name"].get<std::string>());
    const ChatFormat chat = format_of(known);
    for (std::size_t i = 0; i < known["rendered"].size(); ++i) {
      EXPECT_EQ(chat.open(conversation(golden()["dialogues"][i])).text.text(),
                known["rendered"][i]);
    }
  }
}

TEST(ChatGolden, TurnByTurnGivesTheSameTextAsTheWholeConversation) {
  const Conversation all{{{"user", "Hello"}, {"assistant", "Hi."}, {"user", "More"}}};
  const Conversation first{{{"user", "Hello"}}};
  for (const json& known : golden()["templates"]) {
    SCOPED_TRACE(known["name"].get<std::string>());
    const ChatFormat chat = format_of(known);
    const ChatFormat::Opened whole = chat.open(all);
    const std::string opened = chat.open(first).text.text();
    const std::string answer = chat.answer("Hi.").text();
    const auto closed = chat.after_answer(whole, opened, true);
    const auto cut = chat.after_answer(whole, opened, false);
    ASSERT_TRUE(closed && cut);
    if (known["format"] != "qwen3") {  // whose answers begin with thoughts, left out later
      EXPECT_EQ(opened + answer + closed->text(), whole.text.text());
      EXPECT_EQ(opened + answer.substr(0, answer.find("Hi.") + 3) + cut->text(), whole.text.text());
    }
    EXPECT_EQ(cut->text(), chat.next_turn({{"user", "More"}}).text());
    EXPECT_TRUE(answer.ends_with(chat.end_of_turn()));
    EXPECT_FALSE(chat.end_of_turn().empty());
    EXPECT_FALSE(chat.before_answer().empty());
    EXPECT_NE(opened.find(chat.before_answer()), std::string::npos);
  }
}

}  // namespace
}  // namespace outrider::text
