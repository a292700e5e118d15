#include "runtime/prompt_files/prompt_file.h"

#include <gtest/gtest.h>

#include "tests/support/expect_input_error.h"
#include "tests/support/source_path.h"

namespace outrider::text {
namespace {

std::vector<PromptRecord> parse(const std::string& text) { return parse_prompts(text, "p.jsonl"); }

TEST(PromptFile, ReadsEveryField) {
  const auto prompts = parse(
      R"({"id": "a/1", "task": "math", "source": "us", "turns": ["One?", "Zwei: ü"], "reference": "1"})");
  ASSERT_EQ(prompts.size(), 1u);
  EXPECT_EQ(prompts[0].id, "a/1");
  EXPECT_EQ(prompts[0].task, "math");
  EXPECT_EQ(prompts[0].source, "us");
  EXPECT_EQ(prompts[0].turns, (std::vector<std::string>{"One?", "Zwei: ü"}));
  EXPECT_EQ(prompts[0].reference, "1");
}

TEST(PromptFile, NeedsOnlyTheTurns) {
  const auto prompts =
      parse("{\"turns\": [\"a\"]}\r\n\n  \n{\"turns\": [\"b\"], \"reference\": null}");
  ASSERT_EQ(prompts.size(), 2u);
  EXPECT_EQ(prompts[0].id, "p line 1");
  EXPECT_EQ(prompts[1].id, "p line 4");
  EXPECT_EQ(prompts[1].reference, "");
}

TEST(PromptFile, ReadsOurDemonstration) {
  const auto prompts = read_prompts(test::source_path("configs/prompts/demo.jsonl"));
  EXPECT_EQ(prompts.size(), 24u);  // of six tasks
}

const std::string kDeep =
    "{\"turns\": [\"a\"], \"x\": " + std::string(70, '[') + std::string(70, ']') + "}";

struct Mistake {
  std::string line;
  const char* message;
};

class PromptFileMistake : public testing::TestWithParam<Mistake> {};

TEST_P(PromptFileMistake, IsNamedWithItsLine) {
  const std::string good = "{\"turns\": [\"a\"]}\n\n";
  test::expect_input_error([&] { parse(good + GetParam().line); },
                           "p.jsonl, line 3: ", GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Every, PromptFileMistake,
    testing::Values(Mistake{"{\"turns\": [\"a\"", "not JSON"}, Mistake{"{} {}", "not JSON"},
                    Mistake{"[1]", "found array, expected an object"},
                    Mistake{"\"a\"", "found string, expected an object"},
                    Mistake{"{}", "\"turns\" is missing"},
                    Mistake{"{\"turns\": []}", "at least one user message"},
                    Mistake{"{\"turns\": \"a\"}", "expected a list"},
                    Mistake{"{\"turns\": [\"a\", 1]}", "a turn is number, expected a string"},
                    Mistake{"{\"turns\": [\"a\", \"\"]}", "turn 2 is empty"},
                    Mistake{"{\"turns\": [\"a\"], \"id\": 7}",
                            "\"id\" is number, expected a string"},
                    Mistake{"{\"turns\": [\"a\"], \"reference\": {}}", "\"reference\" is object"},
                    Mistake{"{\"turns\": [\"a\"], \"id\": \"p line 1\"}", "is also that of line 1"},
                    Mistake{"{\"turns\": [\"\xC3\"]}", "byte 12 is not UTF-8"},
                    Mistake{kDeep, "nested deeper than 64 levels"}));

TEST(PromptFile, RefusesAFileWithoutPrompts) {
  test::expect_input_error([] { parse("\n \n"); }, "p.jsonl", "no prompts");
}

TEST(PromptFile, RefusesAFileThatIsNotThere) {
  test::expect_input_error([] { read_prompts("/no/such/file.jsonl"); }, "/no/such/file.jsonl");
}

TEST(PromptFile, RefusesDeepNestingWithoutRecursingIntoIt) {
  test::expect_input_error([] { parse(std::string(1 << 20, '[')); }, "line 1");
}

}  // namespace
}  // namespace outrider::text
