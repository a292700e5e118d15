// Log probabilities of answers and of their prompts are the model's.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "runtime/engine/forward_text.h"
#include "tests/serve/served_answers.h"

namespace outrider::serve {
namespace {

using nlohmann::json;

/// ln of the softmax, by its definition.
double log_prob(std::span<const float> logits, Token token) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  return logits[static_cast<std::size_t>(token)] - std::log(sum);
}

TEST_F(AnswersTest, LogProbabilitiesAreTheModelsWithDraftsAndWithout) {
  const std::vector<Token> prompt = serving_.asked("abcabcabc");
  json plain;
  for (const char* method : {"ar", "pld", "ssd"}) {
    json body = asking_;
    // A high temperature, so that tokens are drawn that are not among the likeliest two.
    body.update({{"temperature", 2},
                 {"seed", 3},
                 {"logprobs", true},
                 {"top_logprobs", 2},
                 {"speculation", method}});
    const json answer = serving_.chat("abcabcabc", body).json();
    const json& content = answer["choices"][0]["logprobs"]["content"];
    const std::vector<Token> tokens = tokens_of(answer);
    ASSERT_EQ(content.size(), tokens.size());
    if (plain.is_null()) {
      std::vector<Token> all = prompt;
      all.insert(all.end(), tokens.begin(), tokens.end());
      std::size_t next = prompt.size();
      engine::forward_text(serving_.target().engine(), all,
                           {.logits_from = static_cast<int>(prompt.size()) - 1},
                           [&](const engine::Pass& pass, int first) {
                             for (int row = 0; row < static_cast<int>(pass.rows.size()); ++row) {
                               if (first + row + 1 != static_cast<int>(next) || next == all.size())
                                 continue;
                               const auto logits = pass.logits_of(row);
                               EXPECT_NEAR(content[next - prompt.size()]["logprob"],
                                           log_prob(logits, all[next]), 1e-4);
                               ++next;
                             }
                           });
      EXPECT_EQ(next, all.size());
      plain = content;
    }
    EXPECT_EQ(content, plain) << method;
    EXPECT_EQ(content[0]["top_logprobs"].size(), 2u);
    EXPECT_GE(content[0]["top_logprobs"][0]["logprob"], content[0]["top_logprobs"][1]["logprob"]);
  }
}

TEST_F(AnswersTest, EchoGivesThePromptAndWhatItsTokensWereWorth) {
  const std::vector<Token> prompt = serving_.target().tokenizer().encode("abcabd", true);
  ASSERT_GE(prompt.size(), 3u);
  for (const int more : {0, 1}) {
    const json answer = serving_
                            .post("/v1/completions", {{"prompt", prompt},
                                                      {"max_tokens", more},
                                                      {"temperature", 0},
                                                      {"echo", true},
                                                      {"logprobs", 1}})
                            .json();
    const json& choice = answer["choices"][0];
    const json& logprobs = choice["logprobs"];
    EXPECT_EQ(choice["text"].get<std::string>().rfind("abcabd", 0), 0u);
    ASSERT_EQ(logprobs["token_logprobs"].size(), prompt.size() + static_cast<std::size_t>(more));
    EXPECT_EQ(logprobs["tokens"].size(), logprobs["token_logprobs"].size());
    EXPECT_EQ(logprobs["text_offset"][0], 0);
    EXPECT_TRUE(logprobs["token_logprobs"][0].is_null());
    EXPECT_TRUE(logprobs["top_logprobs"][0].is_null());
    engine::forward_text(
        serving_.target().engine(), prompt, {.logits_from = 0},
        [&](const engine::Pass& pass, int first) {
          for (std::size_t row = 0; row < pass.rows.size(); ++row) {
            const std::size_t next = static_cast<std::size_t>(first) + row + 1;
            if (next >= prompt.size()) continue;
            EXPECT_NEAR(logprobs["token_logprobs"][next],
                        log_prob(pass.logits_of(static_cast<int>(row)), prompt[next]), 1e-4);
          }
        });
  }
}

TEST_F(AnswersTest, EchoComesFirstInAStreamToo) {
  const test::Received received = serving_.post("/v1/completions", {{"prompt", "abc"},
                                                                    {"max_tokens", 4},
                                                                    {"temperature", 0},
                                                                    {"echo", true},
                                                                    {"stream", true},
                                                                    {"logprobs", 0}});
  const Streamed all = streamed(received);
  EXPECT_TRUE(all.is_done);
  EXPECT_EQ(all.events[0]["choices"][0]["text"], "abc");
  EXPECT_EQ(all.events[0]["choices"][0]["logprobs"]["tokens"].size(),
            serving_.target().tokenizer().encode("abc", true).size());
  EXPECT_EQ(all.text.rfind("abc", 0), 0u);
}

}  // namespace
}  // namespace outrider::serve
