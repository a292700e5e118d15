#include "runtime/commands/check_against_plain.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/base/error.h"
#include "runtime/inference/dialogue.h"
#include "tests/commands/tiny_target.h"

namespace outrider {
namespace {

DecodeOptions sampling_options() {
  DecodeOptions options;
  options.samples = 2;
  options.max_new = 12;
  options.sampler.temperature = 0.9;
  return options;
}

class CheckAgainstPlainTest : public testing::Test {
 protected:
  CheckAgainstPlainTest() : tiny_(sampling_options()) {
    Dialogue dialogue(tiny_.target(), {});
    DecodeRun run(tiny_.target(), tiny_.options(), 256, false);
    texts_.push_back(run.decode({"first", "", 1, 1}, dialogue.ask("abcabcabc")));
    texts_.push_back(run.decode({"first", "", 1, 2}, dialogue.ask("abcabcabc")));
  }

  std::string failure() {
    try {
      check_against_plain(tiny_.target(), tiny_.options(), texts_);
    } catch (const CheckFailed& error) {
      return error.what();
    }
    return "";
  }

  test::TinyTarget tiny_;
  std::vector<DecodedText> texts_;
};

TEST_F(CheckAgainstPlainTest, PassesOnWhatWasDecoded) { EXPECT_EQ(failure(), ""); }

TEST_F(CheckAgainstPlainTest, NamesPromptSamplePositionAndBothTokens) {
  std::vector<Token>& tokens = texts_[1].result.tokens;
  ASSERT_GE(tokens.size(), 5u);
  const Token right = tokens[4];
  const Token wrong = right == 100 ? 101 : 100;  // "a" and "b"
  tokens[4] = wrong;
  const std::string message = failure();
  EXPECT_EQ(message.rfind("--check: prompt 'first', sample 2: position 4 of the text differs: "
                          "--method pld gave token " +
                              std::to_string(wrong) + " '",
                          0),
            0u)
      << message;
  EXPECT_NE(message.find("', ar gives token " + std::to_string(right) + " '"), std::string::npos)
      << message;
}

TEST_F(CheckAgainstPlainTest, ATextThatEndsEarlyDiffersAtItsEnd) {
  texts_[0].result.tokens.resize(3);
  EXPECT_NE(failure().find(
                "sample 1: position 3 of the text differs: --method pld gave the end of the text"),
            std::string::npos);
}

}  // namespace
}  // namespace outrider
