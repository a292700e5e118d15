// Conversations with tools in prompt records, against what transformers' apply_chat_template writes of them:
// golden/make_tool_records.py.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/base/text_file.h"
#include "runtime/chat/chat.h"
#include "runtime/prompt_files/prompt_file.h"
#include "runtime/prompt_files/turn_gatherer.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/source_path.h"

namespace outrider::text {
namespace {

ChatFormat format_of(const std::string& chat_template) {
  TokenizerSpec spec;
  spec.tokens = {"<|im_start|>", "<|im_end|>"};
  spec.kinds.assign(spec.tokens.size(), TokenKind::kControl);
  spec.eos = 1;
  spec.chat_template = chat_template;
  return ChatFormat::choose({}, spec);
}

PromptRecord read(std::string record) {
  std::replace(record.begin(), record.end(), '\n', ' ');
  return parse_prompts(record, "p.jsonl").at(0);
}

/// What the template writes before the answer to a turn, after the answers given to those before.
std::string before_answer(const PromptRecord& record, std::size_t turn, const ChatFormat& chat) {
  Conversation conversation{{}, record.system, record.tools};
  for (std::size_t i = 0; i <= turn; ++i) {
    const std::vector<Message> asked = asked_in(record, i);
    conversation.asked = asked.size();
    conversation.messages.insert(conversation.messages.end(), asked.begin(), asked.end());
    if (i < turn) conversation.messages.push_back({"assistant", record.answers.at(i)});
  }
  return chat.open(conversation).text.text();
}

TEST(ToolRecords, ReachTheTemplateAsTransformersGivesThem) {
  const auto golden = nlohmann::json::parse(
      read_text_file(test::source_path("tests/golden/tool_records.json"), std::size_t{1} << 24));
  std::size_t compared = 0;
  for (const auto& known : golden["known"]) {
    const std::string line = known["line"];
    SCOPED_TRACE(line);
    const PromptRecord record = read(line);
    const ChatFormat chat =
        format_of(golden["templates"][known["template"].get<std::string>()].get<std::string>());
    const auto texts = known["before_answers"].get<std::vector<std::string>>();
    ASSERT_EQ(record.turns.size(), texts.size());
    for (std::size_t turn = 0; turn < texts.size(); ++turn, ++compared)
      EXPECT_EQ(before_answer(record, turn, chat), texts[turn]);
    // Written and read again it is the same record.
    nlohmann::ordered_json again = {{"messages", messages_of(record)}};
    again["tools"] = nlohmann::ordered_json::parse(record.tools);
    EXPECT_EQ(before_answer(read(again.dump()), texts.size() - 1, chat), texts.back());
  }
  EXPECT_EQ(compared, 8u);
}

TEST(ToolRecords, AnAnswerComesAfterTheToolsOfItsTurn) {
  const PromptRecord record = read(R"({"messages": [
      {"role": "user", "content": "a"}, {"role": "assistant", "content": "I look."},
      {"role": "tool", "content": "3"}, {"role": "assistant", "content": "A"},
      {"role": "user", "content": "b"}, {"role": "assistant", "content": null, "tool_calls": []},
      {"role": "user", "content": "c"},
      {"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}]})");
  EXPECT_EQ(record.turns, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(record.answers, std::vector<std::string>{"A"});
  const std::vector<Message> first = asked_in(record, 0);
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[1].role + first[1].content, "assistantI look.");
  EXPECT_EQ(first[2].role + first[2].content, "tool3");
  // Nothing was said, and a call that no tool answered is not given.
  EXPECT_EQ(asked_in(record, 1).size(), 1u);
  EXPECT_EQ(asked_in(record, 2).size(), 1u);
}

TEST(ToolRecords, MistakesNameTheLine) {
  const auto refuse = [](const std::string& messages, const char* message) {
    SCOPED_TRACE(messages);
    test::expect_input_error([&] { read("{\"messages\": " + messages + "}"); },
                             "p.jsonl, line 1: ", message);
  };
  refuse("3", "\"messages\": expected a list");
  refuse(R"([{"role": "tool", "content": "a"}])", "a tool before the first message of the user");
  refuse(R"([{"role": "cat", "content": "a"}])",
         "a message with role \"cat\", expected system, user, assistant or tool");
  refuse(R"([{"role": "user", "content": "a"}, {"role": "assistant", "tool_calls": {}}])",
         "\"tool_calls\" is object, expected a list");
  refuse(R"([{"role": "user", "content": "a"}], "tools": "f")", "\"tools\" is string");
}

TEST(ToolRecords, WhatATemplateLeavesOutIsRefused) {
  const std::string plain =
      "{% for m in messages %}<|im_start|>{{ m.role }} {{ m.content or '' }}<|im_end|>{% endfor %}";
  const std::string call =
      R"({"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f"}}]})";
  const auto refuse = [&](const std::string& record, const char* message) {
    const auto open = [&] { before_answer(read(record), 0, format_of(plain)); };
    test::expect_input_error(open, "the model's chat template: ", message);
    EXPECT_THROW(open(), jinja::TemplateRefusal);
  };
  refuse(R"({"messages": [{"role": "user", "content": "a"}, )" + call +
             R"(, {"role": "tool", "content": "3"}]})",
         "it leaves calls of tools out");
  refuse(R"({"tools": [{"name": "f"}], "messages": [{"role": "user", "content": "a"}]})",
         "it leaves the list of tools out");
  // What a tool said is a message like others to it.
  EXPECT_EQ(before_answer(read(R"({"messages": [{"role": "user", "content": "a"},
                                   {"role": "tool", "content": "3"}]})"),
                          0, format_of(plain)),
            "<|im_start|>user a<|im_end|><|im_start|>tool 3<|im_end|>");
}

}  // namespace
}  // namespace outrider::text
