#include "runtime/inference/conversation_batch.h"

#include <gtest/gtest.h>

#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/dialogue.h"
#include "tests/inference/tiny_target.h"

namespace outrider::inference {
namespace {

class ConversationBatchTest : public testing::Test {
 protected:
  ConversationBatchTest() {
    for (const auto& [id, turns] : std::vector<std::pair<std::string, std::vector<std::string>>>{
             {"a", {"abcabcabc", "again"}}, {"b", {"one two one two"}}, {"c", {"abcabcabc"}}}) {
      text::PromptRecord prompt;
      prompt.id = id;
      prompt.turns = turns;
      prompts_.push_back(prompt);
    }
    prompts_[1].system = "two one";
    options_.max_new = 14;
    options_.sampler.temperature = 0.8;
    options_.prefill_chunk = 9;
  }

  static std::unique_ptr<draft::Drafter> new_drafter() {
    return std::make_unique<draft::Pld>(draft::PldOptions{.ngram = 1, .draft_length = 3});
  }

  std::vector<GeneratedText> alone(int samples) {
    std::vector<GeneratedText> texts;
    for (const text::PromptRecord& prompt : prompts_)
      for (int sample = 1; sample <= samples; ++sample) {
        Generation generation(tiny_.target(), options_,
                              context_needed(tiny_.target(), prompt, options_.max_new),
                              new_drafter());
        Dialogue dialogue(tiny_.target(), prompt);
        for (std::size_t turn = 0; turn < prompt.turns.size(); ++turn) {
          const auto asked = dialogue.ask(prompt.turns[turn]);
          texts.push_back(generation.generate(
              {prompt.id, prompt.task, static_cast<int>(turn) + 1, sample}, asked));
          dialogue.answered(prompt.turns[turn], asked, texts.back().result.tokens);
        }
      }
    return texts;
  }

  test::TinyTarget tiny_;
  std::vector<text::PromptRecord> prompts_;
  GenerationOptions options_;
};

TEST_F(ConversationBatchTest, GivesTheTextsOfEachConversationAloneInTheirOrder) {
  const std::vector<GeneratedText> expected = alone(3);
  ASSERT_EQ(expected.size(), 12u);
  const std::int64_t of_two = tiny_.target().engine().cache_bytes(300);
  std::vector<std::int64_t> passes;
  for (const auto& [sequences, bytes] :
       {std::pair{2, std::int64_t{0}}, {5, std::int64_t{0}}, {16, std::int64_t{0}}, {16, of_two}}) {
    ConversationBatch batch(tiny_.target(), options_, new_drafter,
                            {.sequences = sequences, .samples = 3, .cache_bytes = bytes});
    std::vector<BatchedText> found;
    EXPECT_TRUE(batch.run(prompts_, [&](const BatchedText& text) { found.push_back(text); }));
    ASSERT_EQ(found.size(), expected.size());
    std::int64_t tokens = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      SCOPED_TRACE(testing::Message() << i << " of " << sequences);
      const GeneratedText& text = found[i].text;
      EXPECT_EQ(text.name.prompt, expected[i].name.prompt);
      EXPECT_EQ(text.name.turn, expected[i].name.turn);
      EXPECT_EQ(text.name.sample, expected[i].name.sample);
      EXPECT_EQ(text.prompt_tokens, expected[i].prompt_tokens);
      EXPECT_EQ(text.result.tokens, expected[i].result.tokens);
      EXPECT_EQ(text.result.stats.drafted, expected[i].result.stats.drafted);
      EXPECT_EQ(text.text, expected[i].text);
      tokens += std::ssize(text.result.tokens);
    }
    EXPECT_EQ(batch.stats().output_tokens, tokens);
    EXPECT_GT(batch.stats().turn_rows, 3 * 20);
    if (sequences == 16) passes.push_back(batch.stats().passes);
  }
  // Fewer at a time where they have no room.
  EXPECT_GT(passes[1], 2 * passes[0]);
}

TEST_F(ConversationBatchTest, ShowsATextAsItWasGenerated) {
  options_.stops = {"e"};
  std::vector<std::string> live, again;
  const auto into = [](std::vector<std::string>& seen) {
    return [&seen](const TextSoFar& text) {
      seen.push_back(text.text + (text.ended ? "." : "") + std::to_string(text.made));
    };
  };
  prompts_.resize(1);
  prompts_[0].turns.resize(1);
  Generation generation(tiny_.target(), options_,
                        context_needed(tiny_.target(), prompts_[0], options_.max_new),
                        new_drafter());
  const auto asked = Dialogue(tiny_.target(), prompts_[0]).ask(prompts_[0].turns[0]);
  generation.generate({"a", ""}, asked, into(live));
  ConversationBatch batch(tiny_.target(), options_, new_drafter, {});
  batch.run(prompts_, [&](const BatchedText& text) { batch.replay(text, into(again)); });
  EXPECT_GT(live.size(), 1u);
  EXPECT_EQ(again, live);
}

TEST_F(ConversationBatchTest, EndsWhatHasBegunWhenItIsInterrupted) {
  int asked = 0;
  options_.interrupted = [&] { return ++asked > 12; };
  ConversationBatch batch(tiny_.target(), options_, new_drafter, {.sequences = 2, .samples = 9});
  std::vector<GeneratedText> found;
  EXPECT_FALSE(batch.run(prompts_, [&](const BatchedText& text) { found.push_back(text.text); }));
  ASSERT_GE(found.size(), 2u);
  EXPECT_LT(found.size(), 27u);
  EXPECT_EQ(found.back().result.finish, decode::FinishReason::kInterrupted);
}

}  // namespace
}  // namespace outrider::inference
