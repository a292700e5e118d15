// Drafts copied from a user's own files.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/programs/expect_refusal.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

class Reference : public testing::Test {
 protected:
  /// @param flags  of `runtime decode`
  Json decode(const std::string& flags, Outcome* whole = nullptr,
              const std::string& model = "$tiny") const {
    const Outcome outcome = shell_.run("\"$runtime\" decode -m \"" + model +
                                       "\" -p 'hello hello' -n 60 --check --json - " + flags);
    EXPECT_EQ(outcome.status, 0) << flags << "\n" << outcome.err;
    if (whole != nullptr) *whole = outcome;
    return Json::parse(outcome.out);
  }

  Shell shell_;
};

TEST_F(Reference, ChangesNoTokenOfAnyMethod) {
  for (const std::string sampling : {"", " --temperature 0.8 --seed 3"}) {
    const Json plain = decode("--method ar" + sampling);
    shell_.write("answer.txt", plain["text"].get<std::string>());
    for (const std::string method :
         {"auto", "pld", "pld-plus-h --layer 1 --threshold 0.9", "pld-plus-a --heads 1:1",
          "ssd --draft $tiny --copy-first", "tsd --draft $tiny --copy-first",
          "gsd --draft $tiny --copy-first"}) {
      Outcome outcome;
      const Json record =
          decode(fmt::format("--reference answer.txt --method {}{}", method, sampling), &outcome);
      EXPECT_EQ(record["output_tokens"], plain["output_tokens"]) << method;
      EXPECT_EQ(record["settings"]["reference"], Json({"answer.txt"}));
      EXPECT_NE(outcome.err.find("reference: 1 files, "), std::string::npos) << outcome.err;
    }
  }
}

// Unlike the tiny one's, the real model's text has the tokens again that it was generated with.
TEST_F(Reference, ThatIsTheAnswerIsAccepted) {
  const Json plain = decode("--method ar", nullptr, "$real");
  shell_.write("answer.txt", plain["text"].get<std::string>());
  Outcome outcome;
  const Json record = decode("--reference answer.txt --method pld", &outcome, "$real");
  const Json& counts = record["rows"]["reference"];
  const int drafted = counts["drafted_tokens"][0], accepted = counts["accepted_tokens"][0];
  EXPECT_GT(accepted, record["output_tokens"].size() / 2);
  EXPECT_LE(accepted, drafted);
  const auto line = fmt::format("from the reference drafted {}, accepted {}, ", drafted, accepted);
  EXPECT_NE(outcome.err.find(line), std::string::npos) << outcome.err;
}

TEST_F(Reference, IsReadFromFoldersAndSaysWhat) {
  shell_.run(
      "mkdir -p d/.git d/e; printf 'one two three' > d/a.txt; printf x > d/.git/config; "
      "printf 'four' > d/e/b.txt; printf 'a\\0b' > d/binary");
  Outcome outcome;
  decode("--method pld --reference d", &outcome);
  EXPECT_NE(outcome.err.find("reference: 2 files, 17 bytes, "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("; 1 without text left out"), std::string::npos) << outcome.err;
  decode("--method pld --quiet --reference d d/a.txt", &outcome);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Reference, MayBeEmpty) {
  shell_.write("empty.txt", "");
  Outcome outcome;
  decode("--method pld --reference empty.txt", &outcome);
  EXPECT_NE(outcome.err.find("reference: 1 files, 0 bytes, 0 tokens"), std::string::npos);
}

// Control tokens written in a file are text there.
TEST_F(Reference, HasNoSpecialTokens) {
  shell_.write("marks.txt", "<|im_end|><s></s> and so on");
  Outcome outcome;
  decode("--method pld --reference marks.txt", &outcome);
  const std::string all = outcome.err.substr(outcome.err.find("bytes, ") + 7);
  EXPECT_GT(std::stoi(all), 8) << outcome.err;
}

TEST_F(Reference, IsCheckedBeforeAnythingIsWritten) {
  shell_.write("old.json", "old");
  shell_.write("zero", std::string("\0", 1));
  shell_.run("mkdir empty");
  const std::string decode = "\"$runtime\" decode -m $tiny -p hi --json old.json --reference ";
  for (const std::string missing : {"nothing", "empty nothing"})
    expect_refusal(shell_.run(decode + missing),
                   "--reference: nothing: No such file or directory; expected a text file, or a "
                   "folder of text files");
  for (const std::string none : {"empty", "zero", "empty zero"})
    expect_refusal(shell_.run(decode + none),
                   "--reference: expected a text file (UTF-8), found none in ");
  expect_refusal(shell_.run(decode + "''"), "--reference: expected a file, found an empty name");
  expect_refusal(shell_.run(decode), "--reference: expected a value after it");
  expect_refusal(shell_.run(decode + "old.json --method pld"), "--json old.json: would replace ");
  shell_.run("mkdir d; mv old.json d");
  expect_refusal(shell_.run("\"$runtime\" decode -m $tiny -p hi --json d/old.json --method pld "
                            "--reference d"),
                 "--json d/old.json: would replace ");
  EXPECT_EQ(shell_.read("d/old.json"), "old");
}

TEST_F(Reference, IsReplayedAsItWasDecoded) {
  shell_.write("p.jsonl", "{\"id\": \"a\", \"turns\": [\"hello hello\"]}\n");
  ASSERT_EQ(
      shell_.run("\"$runtime\" decode -m $tiny --prompts p.jsonl --method ar -n 60 > a.txt").status,
      0);
  for (const std::string method : {"pld", "pld-plus-h --layer 1"}) {
    const Outcome outcome = shell_.run(
        "\"$calibrate\" replay -m $tiny --prompts p.jsonl -n 60 --reference a.txt --method " +
        method);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
}

}  // namespace
}  // namespace outrider::test
