#include "data/prompts/prompt_mix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "data/commands/commands.h"
#include "data/prompts/lower_words.h"
#include "runtime/base/atomic_file.h"
#include "runtime/base/text_file.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/run_command.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_folder.h"

namespace outrider::data {
namespace {

const std::string kMeasured =
    "Write a function that returns the sum of all even numbers in a list of integers, please.";

text::PromptRecord prompt(const std::string& id, const std::vector<std::string>& turns) {
  text::PromptRecord record;
  record.id = id;
  record.turns = turns;
  return record;
}

std::vector<std::string> ids(const std::vector<text::PromptRecord>& records) {
  std::vector<std::string> all;
  for (const text::PromptRecord& record : records) all.push_back(record.id);
  return all;
}

/// Files of prompts, and the command on them.
class Prompts : public testing::Test {
 protected:
  Prompts() {
    write("measured.jsonl", {prompt("m", {kMeasured, "And the odd ones of that list now"})});
    write("train.jsonl", {prompt("good", {"What is the capital of France?"}),
                          prompt("same", {"First this.",
                                          "write a FUNCTION that returns the sum of all even "
                                          "numbers - in a list of integers: please"}),
                          prompt("other", {"Tell me a story about a fox and a hound."})});
  }
  void write(const std::string& name, const std::vector<text::PromptRecord>& records) const {
    std::string text;
    for (const text::PromptRecord& record : records)
      text += nlohmann::json({{"id", record.id}, {"turns", record.turns}}).dump() + "\n";
    write_file_atomically(file(name), text);
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string read(const std::string& name) const { return read_text_file(file(name), 1 << 20); }

  test::TemporaryFolder folder_;
};

TEST(LowerWords, AreRunsOfLettersNumbersAndUnderscores) {
  EXPECT_EQ(lower_words("It's Größe_2,\n  x²=ÄB٣!"),
            (std::vector<std::string>{"it", "s", "größe_2", "x²", "äb٣"}));
  EXPECT_TRUE(lower_words(" .,- ").empty());
}

TEST_F(Prompts, ThatAreMeasuredOnAreLeftOut) {
  MeasuredPrompts measured;
  measured.add(prompt("m", {kMeasured, "And the odd ones?"}));
  PromptMix mix({}, measured);
  const PromptCounts counts = mix.add(
      "f",
      {prompt("good", {"What is the capital of France?"}), prompt("same", {"Hello", kMeasured}),
       prompt("thirteen", {"Please: returns the sum of all even numbers in a list of "
                           "integers, please. Thanks"}),
       prompt("twelve", {"Please: the sum of all even numbers in a list of integers, please"}),
       prompt("short", {"And the odd ones?"})});
  EXPECT_EQ(counts.measured, 1);
  EXPECT_EQ(counts.shared, 1);
  const std::vector<std::string> kept = ids(mix.in_order());
  EXPECT_EQ(std::set<std::string>(kept.begin(), kept.end()),
            (std::set<std::string>{"good", "twelve", "short"}));
}

TEST_F(Prompts, MayShareTheWordingOfTheirSet) {
  MeasuredPrompts measured;
  measured.add(prompt("m", {kMeasured}));
  std::vector<text::PromptRecord> records;
  for (const char* id : {"a", "b", "c"}) records.push_back(prompt(id, {kMeasured + " " + id}));
  PromptMix three({}, measured);
  EXPECT_EQ(three.add("f", records).kept, 3);
  records.pop_back();
  PromptMix two({}, measured);
  EXPECT_EQ(two.add("f", records).shared, 2);
}

TEST_F(Prompts, AreHeldOutHalvedAndOrderedByTheirIds) {
  const MeasuredPrompts none;
  std::vector<text::PromptRecord> records;
  for (int i = 0; i < 400; ++i)
    records.push_back(prompt("p/" + std::to_string(i), {"number " + std::to_string(i)}));
  PromptMix whole({.seed = 3}, none), first({.seed = 3, .first_half = {"f"}}, none),
      second({.seed = 3, .second_half = {"f"}}, none),
      fewer({.seed = 3, .hold_out = 0.5, .hold_out_of = {{"f", 0.25}}}, none);
  whole.add("f", records);
  first.add("f", records);
  second.add("f", records);
  EXPECT_NEAR(static_cast<double>(fewer.add("f", records).held_out), 100, 40);
  EXPECT_NEAR(
      static_cast<double>(fewer.add("g", {records.begin(), records.begin() + 200}).held_out), 100,
      40);
  std::vector<std::string> halves = ids(first.in_order());
  for (const std::string& id : ids(second.in_order())) halves.push_back(id);
  std::vector<std::string> all = ids(whole.in_order());
  EXPECT_NE(all, ids(records));
  // A half has the order of the whole.
  const std::vector<std::string> half = ids(first.in_order());
  const std::set<std::string> in_half(half.begin(), half.end());
  std::vector<std::string> of_whole;
  for (const std::string& id : all)
    if (in_half.count(id) != 0) of_whole.push_back(id);
  EXPECT_EQ(half, of_whole);
  std::sort(all.begin(), all.end());
  std::sort(halves.begin(), halves.end());
  EXPECT_EQ(all, halves);
}

TEST_F(Prompts, AreKeptOrHeldOut) {
  write("f.jsonl", {});
  std::vector<text::PromptRecord> records;
  for (int i = 0; i < 60; ++i)
    records.push_back(prompt(std::to_string(i), {"number " + std::to_string(i)}));
  write("f.jsonl", records);
  const auto outcome =
      test::run_command(add_prompts, {"prompts", "--quiet", file("f.jsonl"), "--exclude",
                                      file("measured.jsonl"), "--hold-out-all", "0.3", "-o",
                                      file("kept.jsonl"), "--write-held-out", file("held.jsonl")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto kept = text::read_prompts(file("kept.jsonl"));
  const auto held = text::read_prompts(file("held.jsonl"));
  EXPECT_GT(held.size(), 5u);
  EXPECT_LT(held.size(), 40u);
  std::vector<std::string> found = ids(kept), all = ids(records);
  for (const std::string& id : ids(held)) found.push_back(id);
  std::sort(found.begin(), found.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(found, all);
}

TEST_F(Prompts, OfAFileAreThereInOtherWordsToo) {
  write("f.jsonl", {prompt("a", {"Shorten this.\n\nA long article.\n\nIts end.", "And now?"}),
                    prompt("b", {"Only an article"})});
  const auto outcome =
      test::run_command(add_prompts, {"prompts", "--quiet", file("f.jsonl"), file("train.jsonl"),
                                      "--exclude", file("measured.jsonl"), "--second-prompt",
                                      "f=Summarize: ", "-o", file("mixed.jsonl")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::map<std::string, std::vector<std::string>> turns;
  for (const text::PromptRecord& record : text::read_prompts(file("mixed.jsonl")))
    turns[record.id] = record.turns;
  EXPECT_EQ(turns.size(), 6u);
  EXPECT_EQ(turns["a/summarize"],
            (std::vector<std::string>{"Summarize: A long article.\n\nIts end.", "And now?"}));
  EXPECT_EQ(turns["b/summarize"], std::vector<std::string>{"Summarize: Only an article"});
  EXPECT_EQ(turns["b"], std::vector<std::string>{"Only an article"});
}

TEST_F(Prompts, OfTheMixAreCheckedAgainstTheHashes) {
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"prompts", "--quiet"});
    return test::run_command(add_prompts, words);
  };
  EXPECT_EQ(run({"--exclude", file("measured.jsonl"), "--write-hashes", file("hashes.txt")}).code,
            0);
  const std::string hashes = read("hashes.txt");
  EXPECT_EQ(hashes.size(), 2u * 33u);
  EXPECT_EQ(hashes.find("even"), std::string::npos);
  const auto refused = run({file("train.jsonl"), "--check", "--hashes", file("hashes.txt")});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("prompt 'same' is one of those that are measured on"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(
      run({file("train.jsonl"), "--exclude", file("measured.jsonl"), "-o", file("mixed.jsonl")})
          .code,
      0);
  const auto mixed = text::read_prompts(file("mixed.jsonl"));
  EXPECT_EQ(mixed.size(), 2u);
  EXPECT_EQ(run({file("mixed.jsonl"), "--check", "--hashes", file("hashes.txt")}).code, 0);
  // The hashes that come with the programs are read, and have none of these prompts.
  EXPECT_EQ(run({file("train.jsonl"), test::source_path("configs/prompts/demo.jsonl"), "--check",
                 "--hashes", test::source_path("configs/measured_prompts.txt")})
                .code,
            0);
}

/// The lines of a file of hashes in configs/.
std::vector<std::string> lines_of_config(const std::string& name) {
  std::istringstream text(read_text_file(test::source_path("configs/" + name), 1 << 24));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST_F(Prompts, ThatTheDraftModelWasTrainedOnAreNotMeasuredOn) {
  const std::vector<std::string> trained = lines_of_config("training_prompts.txt");
  const std::vector<std::string> measured = lines_of_config("measured_prompts.txt");
  EXPECT_GT(trained.size(), 16000u);
  EXPECT_GT(measured.size(), 3000u);
  const std::set<std::string> known(measured.begin(), measured.end());
  for (const std::string& hash : trained)
    EXPECT_EQ(known.count(hash), 0u) << hash << ", of a turn in both";
  // Both are what hashes are compared with: of the same kind.
  for (const char* name : {"training_prompts.txt", "measured_prompts.txt"})
    MeasuredPrompts().add_hashes(test::source_path(std::string("configs/") + name));
}

TEST_F(Prompts, OfAWrongCommandAreRefused) {
  write_file_atomically(file("bad.txt"), "0123\n");
  MeasuredPrompts measured;
  test::expect_input_error([&] { measured.add_hashes(file("bad.txt")); },
                           "bad.txt:1: expected a hash");
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "prompts");
    return test::run_command(add_prompts, words).err;
  };
  EXPECT_NE(error({file("train.jsonl"), "-o", "x"}).find("expected --exclude or --hashes"),
            std::string::npos);
  EXPECT_NE(error({file("train.jsonl"), "--exclude", file("measured.jsonl"), "--hold-out",
                   "test=0.1", "-o", "x"})
                .find("--hold-out: expected the name of a FILE without ending, found 'test'"),
            std::string::npos);
  EXPECT_NE(error({file("train.jsonl"), "--exclude", file("measured.jsonl"), "--hold-out",
                   "train=2", "-o", "x"})
                .find("--hold-out: expected a file's name without ending, ="),
            std::string::npos);
  for (const char* words : {"train", "train="})
    EXPECT_NE(error({file("train.jsonl"), "--exclude", file("measured.jsonl"), "--second-prompt",
                     words, "-o", "x"})
                  .find("--second-prompt: expected a file's name without ending, = and words"),
              std::string::npos);
}

}  // namespace
}  // namespace outrider::data
