#include "runtime/inference/generation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/inference/dialogue.h"
#include "tests/inference/tiny_target.h"
#include "tests/support/expect_input_error.h"

namespace outrider::inference {
namespace {

class GenerationTest : public testing::Test {
 protected:
  std::vector<Token> asked() { return Dialogue(tiny_.target()).ask("abcabcabc"); }
  GeneratedText generate(const GenerationOptions& options, const OnText& on_text = {}) {
    return Generation(tiny_.target(), options, 256, nullptr).generate({"p", ""}, asked(), on_text);
  }

  test::TinyTarget tiny_;
};

TEST_F(GenerationTest, TellsOfTheTextAfterEachTokenAndAtItsEnd) {
  std::vector<std::string> seen;
  int ends = 0;
  const GeneratedText text = generate({.max_new = 12}, [&](const TextSoFar& so_far) {
    seen.push_back(so_far.text);
    EXPECT_GE(so_far.made, so_far.ended ? 0 : so_far.text.size());
    ends += so_far.ended ? 1 : 0;
  });
  ASSERT_EQ(text.result.tokens.size(), 12u);
  EXPECT_EQ(seen.size(), 13u);
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(seen.back(), text.text);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i].rfind(seen[i - 1], 0), 0u);
}

TEST_F(GenerationTest, EndsBeforeAStopString) {
  const std::string whole = generate({.max_new = 12}).text;
  const auto letter = std::find_if(whole.begin() + 1, whole.end(),
                                   [](char byte) { return byte > ' ' && byte < 0x7F; });
  ASSERT_NE(letter, whole.end());
  const std::string stop(1, *letter);
  const GeneratedText text = generate({.max_new = 12, .stops = {stop}});
  EXPECT_EQ(text.text, whole.substr(0, whole.find(stop)));
  EXPECT_EQ(text.result.finish, decode::FinishReason::kStop);
}

TEST_F(GenerationTest, AFullContextGivesAnEmptyTextAndTellsNothing) {
  const std::vector<Token> prompt = asked();
  Generation generation(tiny_.target(), {}, static_cast<int>(prompt.size()), nullptr);
  const GeneratedText text = generation.generate(
      {"p", ""}, prompt, [](const TextSoFar&) { ADD_FAILURE() << "there is no text"; });
  EXPECT_EQ(text.text, "");
  EXPECT_EQ(text.result.finish, decode::FinishReason::kContext);
}

TEST_F(GenerationTest, EndsWhenItIsInterrupted) {
  int passes = 0;
  const GeneratedText text =
      generate({.max_new = 12, .interrupted = [&] { return ++passes == 4; }});
  EXPECT_EQ(text.result.finish, decode::FinishReason::kInterrupted);
  EXPECT_LT(text.result.tokens.size(), 12u);
}

TEST_F(GenerationTest, KeepsWhatTheNextTurnSharesAndDraftsForIt) {
  Generation generation(tiny_.target(), {.max_new = 8}, 256,
                        std::make_unique<draft::Pld>(draft::PldOptions()));
  Dialogue dialogue(tiny_.target());
  std::vector<Token> first = dialogue.ask("abcabcabc");
  const GeneratedText one = generation.generate({"p", "", 1}, first);
  EXPECT_EQ(one.result.tokens, generate({.max_new = 8}).result.tokens);
  dialogue.answered("abcabcabc", std::move(first), one.result.tokens);
  const std::vector<Token> second = dialogue.ask("abc");
  const GeneratedText two = generation.generate({"p", "", 2}, second);
  EXPECT_LT(two.result.stats.prefilled_rows, static_cast<int>(second.size()) / 2);
}

TEST_F(GenerationTest, ASamplerThatTheVocabularyDoesNotAllowIsRefused) {
  GenerationOptions options;
  options.sampler.logit_bias = {{tiny_.target().model().config.vocab, 1}};
  test::expect_input_error([&] { Generation(tiny_.target(), options, 256, nullptr); },
                           "--logit-bias");
}

}  // namespace
}  // namespace outrider::inference
