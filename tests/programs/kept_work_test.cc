// Commands that print what they find: announced, kept to --minutes, and gone on with after any end. Killed runs are made of the
// journal that a run leaves whose output cannot be written, cut in the middle of an entry.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

namespace fs = std::filesystem;

/// A command that prints, with files of prompts, texts and traces to work on.
struct Printing {
  std::string words;
  std::string announced;  // a part of the plan
};

const std::vector<Printing> kExact = {
    {"quality -m $tiny --prompts p.jsonl", "3 texts read twice, "},
    {"attribute -m $tiny --prompts p.jsonl --method pld --ngram 1 --spans 1 2",
     "3 answers drafted along, "},
    {"replay -m $tiny --prompts p.jsonl -n 20 --method pld --ngram 1",
     "3 texts decoded and replayed"},
    {"replay -m $tiny --prompts p.jsonl -n 20 --method pld-plus-h --layer 1 --sequences 2 "
     "--temperature 1",
     "3 texts decoded and replayed"},
    {"replay -m $tiny --answers texts.jsonl --method context-ngram --draft-length 3",
     "3 texts replayed, "},
    {"replay -m $tiny --data traces --method pld-plus-h --layer 1", "6 texts replayed, "}};

class KeptWork : public testing::Test {
 protected:
  void SetUp() override {
    std::string prompts;
    for (const std::string word : {"abc abd abc", "the cat and the hat", "dfgh"})
      prompts += R"({"turns": ["Source 1 (a): )" + word +
                 R"(\n\nQuestion: 0?"], "reference": "[ 1 )" + word + R"( ] and more"})" + "\n";
    shell_.write("p.jsonl", prompts);
    const Outcome made = shell_.run(
        "\"$runtime\" decode -m $tiny --prompts p.jsonl -n 20 --method ar --json texts.jsonl "
        "--quiet "
        "&& \"$data\" traces -m $tiny --prompts p.jsonl -n 20 --samples 2 --temperature 0 1 -o "
        "traces "
        "--store features --layers 1 --quiet");
    ASSERT_EQ(made.status, 0) << made.err;
  }

  Outcome run(const std::string& words, const std::string& more) const {
    return shell_.run("export XDG_CACHE_HOME=$PWD/cache; \"$calibrate\" " + words + " " + more);
  }
  /// The journal of a run that did everything and could not print it.
  fs::path left_journal(const std::string& words) const {
    const Outcome left = run(words, "--json left.json > /dev/full");
    EXPECT_EQ(left.status, 2) << words << left.err;
    const std::vector<fs::path> found = journals();
    EXPECT_EQ(found.size(), 1U) << words;
    return found.empty() ? fs::path() : found.front();
  }
  std::vector<fs::path> journals() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(shell_.path() / "cache/outrider/journals"))
      found.push_back(entry.path());
    return found;
  }

  Shell shell_;
};

TEST_F(KeptWork, IsAnnouncedAndEndsWithTheMinutes) {
  std::vector<Printing> all = kExact;
  all.push_back(
      {"bench --grid -m $tiny -t 1 --prompts p.jsonl -n 20 --method context-ngram --drafts 1 "
       "--draft-length 1 2",
       "3 texts decoded with 3 settings each"});
  for (const Printing& command : all) {
    const Outcome cut = run(command.words, "--minutes 1e-7");
    EXPECT_EQ(cut.status, 130) << command.words << cut.err;
    EXPECT_NE(cut.err.find("stopped after --minutes 1e-07, which are over: what is done is kept"),
              std::string::npos)
        << command.words << cut.err;
    const Outcome whole = run(command.words, "");
    ASSERT_EQ(whole.status, 0) << command.words << whole.err;
    const std::string name = command.words.substr(0, command.words.find(' '));
    EXPECT_NE(whole.err.find("calibrate " + name + ": about "), std::string::npos) << whole.err;
    EXPECT_NE(whole.err.find(command.announced), std::string::npos) << whole.err;
    EXPECT_EQ(journals(), std::vector<fs::path>()) << command.words;
  }
}

TEST_F(KeptWork, GivesTheSameBytesHoweverOftenItGoesOn) {
  for (const Printing& command : kExact) {
    const Outcome whole = run(command.words, "--json whole.json");
    ASSERT_EQ(whole.status, 0) << command.words << whole.err;
    const fs::path journal = left_journal(command.words);
    EXPECT_EQ(shell_.read("left.json"), shell_.read("whole.json")) << command.words;
    fs::resize_file(journal, fs::file_size(journal) - 3);
    const Outcome resumed = run(command.words, "--json resumed.json");
    ASSERT_EQ(resumed.status, 0) << command.words << resumed.err;
    const std::string after = command.words.find("--data") == std::string::npos ? "2" : "5";
    EXPECT_NE(resumed.err.find("resuming after " + after), std::string::npos) << resumed.err;
    EXPECT_NE(resumed.err.find(": about "), std::string::npos) << "of the last text";
    EXPECT_EQ(shell_.read("resumed.json"), shell_.read("whole.json")) << command.words;
    EXPECT_EQ(resumed.out, whole.out) << command.words;
    EXPECT_FALSE(fs::exists(journal));
  }
}

TEST_F(KeptWork, OfOtherWorkIsLeftAlone) {
  const std::string words = "replay -m $tiny --answers texts.jsonl --method pld --ngram 1";
  const fs::path journal = left_journal(words);
  for (const std::string other : {"--draft-length 3", "--ngram 2"}) {
    const Outcome done = run("replay -m $tiny --answers texts.jsonl --method pld " + other, "");
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err.find("resuming"), std::string::npos) << other;
  }
  EXPECT_EQ(journals(), std::vector<fs::path>{journal});
  // What calibration finds meanwhile may draft otherwise.
  const std::string heads =
      "replay -m $tiny --answers texts.jsonl --method pld-plus-h --artifacts a.h5";
  ASSERT_EQ(run("layer -m $tiny --data traces --artifacts a.h5 --quiet", "").status, 0);
  run(heads, "> /dev/full");
  ASSERT_EQ(journals().size(), 2U);
  ASSERT_EQ(
      run("layer -m $tiny --data traces --artifacts a.h5 --quiet --draft-length 3", "").status, 0);
  const Outcome anew = run(heads, "");
  EXPECT_EQ(anew.status, 0) << anew.err;
  EXPECT_EQ(anew.err.find("resuming"), std::string::npos) << anew.err;
}

TEST_F(KeptWork, OfTimesIsOfWholeRoundsAndSaysOfHowManyStarts) {
  const std::string words =
      "bench --grid -m $tiny -t 1 --prompts p.jsonl -n 20 --method context-ngram --drafts 1 2 "
      "--draft-length 2";
  const fs::path journal = left_journal(words);
  const nlohmann::json left = nlohmann::json::parse(shell_.read("left.json"));
  EXPECT_EQ(left["starts"], 1);
  fs::copy_file(journal, shell_.path() / "whole.part");
  const Outcome again = run(words, "--json again.json");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(shell_.read("again.json"), shell_.read("left.json")) << "with the times that were kept";
  EXPECT_EQ(again.out.find("starts"), std::string::npos) << again.out;

  fs::copy_file(shell_.path() / "whole.part", journal);
  fs::resize_file(journal, fs::file_size(journal) - 3);
  const Outcome resumed = run(words, "--json resumed.json");
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("1 texts decoded with 3 settings each"), std::string::npos)
      << resumed.err;
  EXPECT_NE(resumed.out.find("measured in 2 starts"), std::string::npos) << resumed.out;
  const nlohmann::json found = nlohmann::json::parse(shell_.read("resumed.json"));
  EXPECT_EQ(found["starts"], 2);
  for (std::size_t i = 0; i < 2; ++i)
    for (const char* count : {"tokens", "passes", "drafted", "accepted"})
      EXPECT_EQ(found["cells"][i][count], left["cells"][i][count]) << count;
}

TEST_F(KeptWork, NeedsAFolderToKeepItIn) {
  shell_.write("file", "");
  expect_refusal(shell_.run("export XDG_CACHE_HOME=$PWD/file; \"$calibrate\" quality -m $tiny "
                            "--prompts p.jsonl"),
                 "expected a folder to keep there what is done, found none that can be made");
}

}  // namespace
}  // namespace outrider::test
