#include "runtime/draft/ngram/table_choice.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace outrider::draft {
namespace {

TEST(TableChoice, IsWhatTheTargetWouldChooseAmongTheseTokens) {
  constexpr int kAllTokens = 40;
  const std::vector<Token> tokens = {17, 3, 39, 8, 20, 0};
  const std::vector<float> logits = {1.5F, 1, 0.25F, 0, -1, -2};
  std::vector<float> all(kAllTokens, -std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < tokens.size(); ++i)
    all[static_cast<std::size_t>(tokens[i])] = logits[i];
  sampling::TokenChoice target(kAllTokens);
  TableChoice choice;
  std::vector<sampling::RankedToken> expected;
  const std::vector<Token> text = {3, 3, 17};
  const sampling::TokenCounts counts{text};
  int differ = 0;
  for (const sampling::SamplerOptions& options : std::vector<sampling::SamplerOptions>{
           {.temperature = 0},
           {.temperature = 1},
           {.temperature = 0.5, .top_k = 4, .top_p = 0.9},
           {.temperature = 1, .repetition_penalty = 2, .logit_bias = {{8, 1.0}}}}) {
    for (std::int64_t position = 0; position < 20; ++position) {
      const sampling::SequenceSampling sampling = {options, 9, counts};
      target.rank(sampling, all, position, 3, expected);
      const auto ranked = choice.rank(sampling, tokens, logits, position, 3);
      ASSERT_EQ(ranked.size(), expected.size());
      for (std::size_t i = 0; i < ranked.size(); ++i) {
        EXPECT_EQ(ranked[i].token, expected[i].token);
        EXPECT_EQ(ranked[i].value, expected[i].value);
      }
      differ += ranked[0].token != tokens[0];
    }
  }
  EXPECT_GT(differ, 10) << "the noise should change the order";
}

}  // namespace
}  // namespace outrider::draft
