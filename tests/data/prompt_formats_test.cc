#include "data/prompts/prompt_formats.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::data {
namespace {

using test::expect_input_error;
using Texts = std::vector<std::string>;

TEST(PromptFormats, SpecBenchGivesTurnsCategoryAndReferences) {
  const auto records = parse_spec_bench(
      R"({"question_id": 81, "category": "writing", "turns": ["a", "b"], "reference": ["x", "y"]})"
      "\n\n"
      R"({"question_id": "q", "turns": ["c"]})"
      "\n"
      R"({"question_id": "r", "turns": ["d"], "reference": ["z", "or this"]})",
      "f");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].id, "81");
  EXPECT_EQ(records[0].task, "writing");
  EXPECT_EQ(records[0].turns, (Texts{"a", "b"}));
  EXPECT_EQ(records[0].answers, (Texts{"x", "y"}));
  EXPECT_EQ(records[1].id, "q");
  EXPECT_TRUE(records[1].answers.empty());
  EXPECT_EQ(records[2].answers, Texts{"z"});
}

TEST(PromptFormats, ShareGptGivesTheUsersTurnsAndTheFirstAnswerToEach) {
  const std::string list =
      R"([{"id": "one", "conversations": [{"from": "gpt", "value": "early"},
           {"from": "human", "value": "a"}, {"from": "gpt", "value": "A"},
           {"from": "gpt", "value": "again"}, {"from": "human", "value": "b"},
           {"from": "human", "value": "c"}, {"from": "gpt", "value": "C"}]},
          {"conversations": [{"from": "system", "value": "Be brief."},
           {"from": "user", "value": "d"}]}])";
  const auto records = parse_sharegpt(list, "folder/p.json");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].id, "one");
  EXPECT_EQ(records[0].turns, (Texts{"a", "b", "c"}));
  EXPECT_EQ(records[0].answers, (Texts{"A", "", "C"}));
  EXPECT_FALSE(records[0].system.has_value());
  EXPECT_EQ(records[1].id, "p record 2");
  EXPECT_EQ(records[1].system, "Be brief.");
}

TEST(PromptFormats, OpenAiTakesTextsPartsAndBatchLines) {
  const auto records = parse_openai(
      R"({"messages": [{"role": "developer", "content": "s"}, {"role": "user", "content": "a"}, )"
      R"({"role": "assistant", "content": "A"}]})"
      "\n"
      R"({"custom_id": "r-2", "body": {"model": "m", "messages": [{"role": "user", "content": )"
      R"([{"type": "text", "text": "b"}, {"type": "text", "text": "c"}]}]}})"
      "\n",
      "f");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].id, "f line 1");
  EXPECT_EQ(records[0].system, "s");
  EXPECT_EQ(records[0].turns, Texts{"a"});
  EXPECT_EQ(records[0].answers, Texts{"A"});
  EXPECT_EQ(records[1].id, "r-2");
  EXPECT_EQ(records[1].turns, Texts{"bc"});
}

TEST(PromptFormats, OpenAiTakesToolsAndTheirMessages) {
  const auto records = parse_openai(
      R"({"tools": [{"type": "function"}], "messages": [{"role": "user", "content": "a"}, )"
      R"({"role": "assistant", "content": null, "tool_calls": [{"id": "1"}]}, )"
      R"({"role": "tool", "content": "3"}, {"role": "assistant", "content": "A"}]})",
      "folder/f.jsonl");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].where, "folder/f.jsonl, line 1");
  EXPECT_EQ(records[0].tools, R"([{"type":"function"}])");
  EXPECT_EQ(records[0].turns, Texts{"a"});
  EXPECT_EQ(records[0].answers, Texts{"A"});
  ASSERT_EQ(text::asked_in(records[0], 0).size(), 3u);
  EXPECT_EQ(text::asked_in(records[0], 0)[1].json,
            R"({"role":"assistant","tool_calls":[{"id":"1"}]})");
}

TEST(PromptFormats, ATextIsOnePromptWithoutItsLastLineEnd) {
  const auto records = parse_text("two\nlines\r\n", "folder/note.txt");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].id, "note.txt");
  EXPECT_EQ(records[0].turns, Texts{"two\nlines"});
  expect_input_error([] { parse_text("\n", "empty.txt"); }, "empty.txt", "empty");
  expect_input_error([] { parse_text("ab\xff", "bytes.txt"); }, "bytes.txt", "byte 2");
}

TEST(PromptFormats, MistakesNameFileAndLine) {
  const auto refuse = [](auto parse, const std::string& text, const std::string& message) {
    SCOPED_TRACE(text);
    expect_input_error([&] { parse(text, "f.json"); }, "f.json", message);
  };
  refuse(parse_spec_bench, "\n{\"turns\": 3}", "line 2: \"turns\" is number");
  refuse(parse_spec_bench, "{\"turns\": [3]}", "line 1: \"turns\" has number");
  refuse(parse_spec_bench, "{}", "line 1: no message of the user");
  refuse(parse_spec_bench, "{\"question_id\": 1.5, \"turns\": [\"a\"]}",
         "\"question_id\" is number");
  refuse(parse_spec_bench, "", "no prompts");
  refuse(parse_sharegpt, "[{}]", "record 1: \"conversations\": expected a list");
  refuse(parse_sharegpt, "[3]", "record 1: found number");
  refuse(parse_sharegpt, "[", "line 1: not JSON");
  refuse(parse_sharegpt, R"({"conversations": [{"from": "cat", "value": "a"}]})",
         "line 1: a message from \"cat\"");
  refuse(parse_sharegpt, R"({"conversations": [{"from": "gpt", "value": "a"}]})",
         "no message of the user");
  refuse(parse_sharegpt, R"({"conversations": [{"from": "human", "value": ""}]})",
         "turn 1 is empty");
  refuse(parse_openai, R"({"messages": [{"role": "cat", "content": "a"}]})", "role \"cat\"");
  refuse(parse_openai, R"({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]})",
         "type \"image_url\"");
  refuse(parse_openai,
         R"({"messages": [{"role": "user", "content": "a"}, {"role": "system", "content": "s"}]})",
         "a system message after the first message of the user");
  refuse(parse_openai,
         "{\"id\": \"a\", \"messages\": [{\"role\": \"user\", \"content\": \"x\"}]}\n"
         "{\"id\": \"a\", \"messages\": [{\"role\": \"user\", \"content\": \"y\"}]}",
         "line 2: the id \"a\" is already used in number 1");
  refuse(parse_openai, std::string(70, '[') + std::string(70, ']'), "nested deeper");
  refuse(parse_openai, "{\"messages\": \"\xc3\x28\"}", "byte 14 is not UTF-8");
}

class Files {
 public:
  std::string write(const std::string& name, const std::string& bytes) {
    const auto path = folder_.path() / name;
    std::ofstream(path) << bytes;
    return path.string();
  }

 private:
  test::TemporaryFolder folder_;
};

TEST(PromptFormats, SeveralFilesKeepTheirIdsApart) {
  Files files;
  const std::string a =
      files.write("a.jsonl", "{\"turns\": [\"x\"]}\n{\"id\": \"k\", \"turns\": [\"y\"]}");
  const std::string b = files.write("b.jsonl", "{\"turns\": [\"z\"]}");
  std::vector<std::string> ids;
  for (const auto& record : read_prompt_files("jsonl", {a, b})) ids.push_back(record.id);
  EXPECT_EQ(ids, (Texts{"a line 1", "k", "b line 1"}));
  EXPECT_EQ(read_prompt_files("jsonl", {b})[0].id, "b line 1");
  EXPECT_EQ(text::read_prompts(b)[0].id, "b line 1");  // as runtime decode calls it
  const std::string c = files.write("c.jsonl", "{\"id\": \"k\", \"turns\": [\"y\"]}");
  expect_input_error(
      [&] {
        read_prompt_files("jsonl", {a, c});
      },
      "c.jsonl", "the id \"k\" is already used in", "a.jsonl");
  expect_input_error([&] { read_prompt_files("text", {a + "?"}); }, "a.jsonl?");
}

}  // namespace
}  // namespace outrider::data
