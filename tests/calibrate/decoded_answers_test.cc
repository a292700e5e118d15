#include "calibrate/answers/decoded_answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "runtime/base/error.h"
#include "runtime/sampling/sampler.h"
#include "tests/support/temporary_folder.h"

namespace outrider::calibrate {
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

TEST(DecodedAnswers, AreReadFromRecordsOfDecoding) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "decoded.jsonl";
  std::ofstream(path) << one_line(kGood) << "\n\n" << with("[0, 2, 3]", "[]") << "\n";
  const auto answers = read_decoded_answers(path, kVocab, kContext);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].id, "a");
  EXPECT_EQ(answers[0].task, "t");
  EXPECT_EQ(answers[0].prompt, 2);
  EXPECT_EQ(answers[0].tokens, (std::vector<Token>{1, 49, 0, 2, 3}));
  EXPECT_EQ(answers[0].max_new, 3);
  EXPECT_EQ(answers[0].context, 4);
  EXPECT_EQ(answers[1].made(), 0);
}

TEST(DecodedAnswers, KnowHowTheTargetChose) {
  const std::string settings =
      R"("max_new": 3, "temperature": 0.8, "top_k": 5, "top_p": 0.9, "min_p": 0.1,
         "repetition_penalty": 1.2, "presence_penalty": 0.3, "frequency_penalty": 0.4,
         "logit_bias": {"7": -1.5, "49": 2}, "seed": 18446744073709551615)";
  const auto parsed = [&](const std::string& record) {
    return parse_decoded_answers(record, "decoded.jsonl", kVocab, kContext).at(0);
  };
  const Answer answer = parsed(with("\"max_new\": 3", one_line(settings)));
  EXPECT_EQ(answer.temperature(), 0.8);
  EXPECT_EQ(answer.sampler.top_k, 5);
  EXPECT_EQ(answer.sampler.top_p, 0.9);
  EXPECT_EQ(answer.sampler.min_p, 0.1);
  EXPECT_EQ(answer.sampler.repetition_penalty, 1.2);
  EXPECT_EQ(answer.sampler.presence_penalty, 0.3);
  EXPECT_EQ(answer.sampler.frequency_penalty, 0.4);
  using Biases = std::vector<std::pair<Token, double>>;
  const Biases biases = {{7, -1.5}, {49, 2}};
  EXPECT_TRUE(std::is_permutation(answer.sampler.logit_bias.begin(),
                                  answer.sampler.logit_bias.end(), biases.begin(), biases.end()));
  EXPECT_EQ(answer.sampler.seed, UINT64_MAX);
  EXPECT_EQ(answer.sequence_seed, sampling::sequence_seed(UINT64_MAX, "a", 1, 1));
  EXPECT_EQ(parsed(with("\"task\"", "\"turn\": 2, \"sample\": 3, \"task\"")).sequence_seed,
            sampling::sequence_seed(0, "a", 2, 3));
}

TEST(DecodedAnswers, NameWhatIsWrongAndWhere) {
  const auto refused = [](const std::string& text, const std::string& message) {
    try {
      parse_decoded_answers(one_line(kGood) + "\n" + text, "decoded.jsonl", kVocab, kContext);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find("decoded.jsonl, line 2: "), 0u) << what;
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
  const auto refused_with = [&](const std::string& setting, const std::string& message) {
    refused(with("\"max_new\": 3", "\"max_new\": 3, " + setting), message);
  };
  refused_with("\"temperature\": \"1\"", "\"temperature\": expected a number, found \"1\"");
  refused_with("\"temperature\": -1", "\"settings\": --temperature: expected a number from 0");
  refused_with("\"top_k\": 0.5", "\"top_k\": expected a whole number");
  refused_with("\"seed\": -1", "\"seed\": expected a whole number, found -1");
  refused_with("\"logit_bias\": []", "\"logit_bias\": expected an object");
  refused_with("\"logit_bias\": {\"x\": 1}", "expected token ids, found \"x\"");
  refused_with("\"logit_bias\": {\"50\": 1}", "expected a token id from 0 to 49, found 50");
  refused(with("\"task\"", "\"turn\": 0, \"task\""), "\"turn\": expected a whole number from 1");
  EXPECT_THROW(parse_decoded_answers("\n", "decoded.jsonl", kVocab, kContext), InputError);
  EXPECT_THROW(read_decoded_answers("/nowhere.jsonl", kVocab, kContext), InputError);
}

}  // namespace
}  // namespace outrider::calibrate
