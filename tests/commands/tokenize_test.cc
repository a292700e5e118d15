#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/commands/commands.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider {
namespace {

// In the tiny models' vocabulary the control tokens are 0 to 2 and the byte b is token 3 + b.
class Tokenize : public testing::Test {
 protected:
  test::Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), {"tokenize", "-m", model_});
    return test::run_command(add_tokenize, std::move(words));
  }

  void expect_refused(std::vector<std::string> words, const std::string& message) {
    const test::Outcome outcome = run(std::move(words));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }

  std::string file(const std::string& name, const std::string& content) {
    const auto path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }

  test::TemporaryFolder folder_;
  const std::string model_ =
      test::write_tiny_llama(folder_.path(), "m.gguf", {}, 1, model::WeightType::kQ4_1).string();
  const std::string prompts_ = file(
      "p.jsonl", "{\"id\": \"x\", \"turns\": [\"ZZ\", \"no\"]}\n{\"turns\": [\"Z<|im_end|>\"]}\n");
};

TEST_F(Tokenize, PrintsTheIdsOfATextWithItsSpecialTokens) {
  EXPECT_EQ(run({"-p", "ZY<|im_end|>\xC3\xBC"}).out, "93 92 2 198 191\n");
  EXPECT_EQ(run({"-p", ""}).out, "\n");
}

TEST_F(Tokenize, PrintsTheTextOfIds) {
  EXPECT_EQ(run({"--decode", "93 92 2 198 191"}).out, "ZY<|im_end|>\xC3\xBC\n");
  EXPECT_EQ(run({"--decode", "[93, 92]"}).out, "ZY\n");
  EXPECT_EQ(run({"--decode", "198"}).out, "\uFFFD\n");
}

TEST_F(Tokenize, WritesTheFirstTurnOfEveryRecordAsItIs) {
  EXPECT_EQ(run({"--prompts", prompts_, "--json", "-", "--raw"}).out,
            "{\"id\":\"x\",\"tokens\":[93,93]}\n{\"id\":\"p line 2\",\"tokens\":[93,2]}\n");
}

TEST_F(Tokenize, WritesTheFirstTurnInTheModelsChatFormat) {
  const auto path = folder_.path() / "out.jsonl";
  const test::Outcome outcome = run({"--prompts", prompts_, "--json", path.string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  std::ifstream lines(path);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto tokens = nlohmann::json::parse(line)["tokens"].dump();
  const std::string ids = tokens.substr(1, tokens.size() - 2);
  EXPECT_EQ(run({"--decode", ids}).out,
            "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
            "Face<|im_end|>\n<|im_start|>user\nZZ<|im_end|>\n<|im_start|>assistant\n\n");
}

TEST_F(Tokenize, WritesTheTextOfEveryLineOfIds) {
  EXPECT_EQ(run({"--decode", "93 13\n\n92", "--json", "-"}).out,
            "{\"text\":\"Z\\n\"}\n{\"text\":\"\"}\n{\"text\":\"Y\"}\n");
}

TEST_F(Tokenize, RefusesWhatItCannotDo) {
  expect_refused({}, "found 0 inputs");
  expect_refused({"-p", "a", "--decode", "1"}, "found 2 inputs");
  expect_refused({"-p", "a", "--raw"}, "--raw goes with --prompts only");
  expect_refused({"-p", "a", "--json", "-"}, "--json goes with");
  expect_refused({"--prompts", prompts_}, "--prompts needs --json FILE");
  expect_refused({"--decode", "1 x2"}, "found 'x2'");
  expect_refused({"--decode", "99999999999"}, "found '99999999999'");
  expect_refused({"--decode", "274"}, "no token 274; expected 0 to 273");
  expect_refused({"-p", "a\xFF"}, "byte 1");
  expect_refused({"--prompts", file("bad.jsonl", "{}\n"), "--json", "-"}, "bad.jsonl, line 1");
}

}  // namespace
}  // namespace outrider
