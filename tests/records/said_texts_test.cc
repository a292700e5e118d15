#include "runtime/records/said_texts.h"

#include <gtest/gtest.h>

#include <fstream>

#include "runtime/base/error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::text {
namespace {

constexpr int kVocab = 50;
constexpr int kContext = 64;

const std::string kGood =
    R"({"id": "a", "task": "t", "prompt_tokens": [1, 49], "output_tokens": [0, 2, 3],
 "settings": {"max_new": 3, "context": 4}, "text": "..."})";

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

/// The good record with a part of it replaced.
std::string with(const std::string& part, const std::string& other) {
  std::string text = one_line(kGood);
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

TEST(SaidTexts, AreReadFromRecordsOfDecoding) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "said.jsonl";
  std::ofstream(path) << one_line(kGood) << "\n\n" << with("[0, 2, 3]", "[]") << "\n";
  const auto texts = read_said_texts(path, kVocab, kContext);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0].id, "a");
  EXPECT_EQ(texts[0].task, "t");
  EXPECT_EQ(texts[0].prompt, (std::vector<Token>{1, 49}));
  EXPECT_EQ(texts[0].output, (std::vector<Token>{0, 2, 3}));
  EXPECT_EQ(texts[0].max_new, 3);
  EXPECT_EQ(texts[0].context, 4);
  EXPECT_TRUE(texts[1].output.empty());
}

TEST(SaidTexts, NameWhatIsWrongAndWhere) {
  const auto refused = [](const std::string& text, const std::string& message) {
    try {
      parse_said_texts(one_line(kGood) + "\n" + text, "said.jsonl", kVocab, kContext);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find("said.jsonl, line 2: "), 0u) << what;
      EXPECT_NE(what.find(message), std::string::npos) << what;
    }
  };
  refused("[]", "object");
  refused(with("\"prompt_tokens\"", "\"tokens\""), "\"prompt_tokens\": expected a list");
  refused(with("[1, 49]", "[]"), "\"prompt_tokens\": expected at least one token");
  refused(with("[1, 49]", "[1, 50]"),
          "a token of \"prompt_tokens\": expected a whole number from 0 to 49, found 50");
  refused(with("[1, 49]", "[-1]"), "found -1");
  refused(with("[0, 2, 3]", "[0.5]"), "found 0.5");
  refused(with("[0, 2, 3]", "[\"2\"]"), "found \"2\"");
  refused(with("[0, 2, 3]", "[18446744073709551615]"), "found 18446744073709551615");
  refused(with("[0, 2, 3]", "{}"), "\"output_tokens\": expected a list");
  refused(with("\"settings\"", "\"other\""), "\"settings\": expected an object");
  refused(with("\"max_new\": 3", "\"max_new\": 2"), "\"max_new\": expected a whole number from 3");
  refused(with("\"context\": 4", "\"context\": 3"),
          "\"context\": expected a whole number from 4 to 64");
  refused(with("\"context\": 4", "\"context\": 65"), "found 65");
  refused(with(", \"context\": 4", ""), "an object with \"context\"");
  EXPECT_THROW(parse_said_texts("\n", "said.jsonl", kVocab, kContext), InputError);
  EXPECT_THROW(read_said_texts("/nowhere.jsonl", kVocab, kContext), InputError);
}

}  // namespace
}  // namespace outrider::text
