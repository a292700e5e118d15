#include "runtime/commands/check_against_plain.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/base/error.h"
#include "runtime/inference/dialogue.h"
#include "runtime/methods/pld.h"
#include "tests/inference/tiny_target.h"

namespace outrider {
namespace {

class CheckAgainstPlainTest : public testing::Test {
 protected:
  CheckAgainstPlainTest() {
    run_.generation.max_new = 12;
    run_.generation.sampler.temperature = 0.9;
    run_.samples = 2;
    run_.quiet = true;
    const inference::Dialogue dialogue(tiny_.target());
    inference::Generation generation(tiny_.target(), run_.generation, 256,
                                     run_.method.new_drafter());
    for (const int sample : {1, 2})
      texts_.push_back(generation.generate({"first", "", 1, sample}, dialogue.ask("abcabcabc")));
  }

  std::string failure() {
    try {
      check_against_plain(tiny_.target(), run_, texts_);
    } catch (const CheckFailed& error) {
      return error.what();
    }
    return "";
  }

  test::TinyTarget tiny_;
  DecodeRun run_ = {
      .method = methods::Pld().prepare({tiny_.target().model(), tiny_.target().engine(), {}})};
  std::vector<inference::GeneratedText> texts_;
};

TEST_F(CheckAgainstPlainTest, PassesWhereTextsAreEqual) { EXPECT_EQ(failure(), ""); }

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

TEST_F(CheckAgainstPlainTest, FinishReasonsAreCompared) {
  texts_[1].result.finish = decode::FinishReason::kContext;
  EXPECT_EQ(
      failure(),
      "--check: prompt 'first', sample 2: the finish reason differs: --method pld gave context, "
      "ar gives length");
}

TEST_F(CheckAgainstPlainTest, TextsAreComparedToo) {
  texts_[0].text += "x";
  EXPECT_EQ(failure().rfind("--check: prompt 'first', sample 1: the text of equal tokens differs: "
                            "--method pld gave '",
                            0),
            0u)
      << failure();
}

TEST_F(CheckAgainstPlainTest, EveryReferenceIsDecodedFromItsFirstToken) {
  std::size_t passes = 0;
  run_.generation.prefill_chunk = 1;
  run_.generation.interrupted = [&passes] { return ++passes, false; };
  EXPECT_EQ(failure(), "");
  std::size_t rows = 0;  // without a shared cache; the last token of a text is not forwarded
  for (const inference::GeneratedText& text : texts_)
    rows += text.prompt_tokens.size() + text.result.tokens.size() - 1;
  EXPECT_GE(passes, rows);
}

}  // namespace
}  // namespace outrider
