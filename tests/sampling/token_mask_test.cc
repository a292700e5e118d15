#include "runtime/sampling/token_mask.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "runtime/engine/device_choice.h"
#include "runtime/engine/forward_text.h"
#include "runtime/sampling/chooser.h"
#include "runtime/sampling/token_choice.h"
#include "tests/support/tiny_engine.h"

namespace outrider::sampling {
namespace {

TEST(TokenMask, LeavesTheLogitsOfTokensThatMayBeChosen) {
  std::vector<float> logits(70), room;
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i);
  const std::vector<std::uint32_t> mask = {1u << 31, 0, ~0u};
  const std::span<const float> left = masked(logits, mask, room);
  ASSERT_EQ(left.size(), logits.size());
  for (std::size_t i = 0; i < left.size(); ++i)
    EXPECT_EQ(left[i], i == 31 || i >= 64 ? logits[i] : -std::numeric_limits<float>::infinity());
  EXPECT_EQ(masked(logits, {}, room).data(), logits.data());
  EXPECT_THROW(masked(logits, std::span(mask).first(2), room), std::logic_error);
  EXPECT_TRUE(allows_any({}));
  EXPECT_TRUE(allows_any(mask));
  EXPECT_FALSE(allows_any(std::vector<std::uint32_t>(3)));
}

/// Choices among some tokens are those that a bias which makes the others impossible gives; scores are of all.
TEST(TokenMask, ChoosersChooseAmongThem) {
  test::TinyEngine tiny(model::WeightType::kQ8_0, 3, 2);
  const int vocab = tiny.engine.config().vocab;
  const auto on_gpu =
      engine::make_engine(tiny.model, {.device = engine::device_named("cuda-emulated").value()});
  std::vector<std::uint32_t> mask(mask_words(static_cast<std::size_t>(vocab)), 0x20480001u);
  for (engine::Engine* const on : {&tiny.engine, on_gpu.get()}) {
    const auto chooser = make_chooser(*on, 4);
    const std::vector<Token> text = test::random_tokens(9, vocab, 1);
    engine::forward_text(*on, text, {.logits_from = 0}, [&](const engine::Pass& pass, int) {
      for (const SamplerOptions& options : {SamplerOptions(), test::every_sampler_option()}) {
        SamplerOptions biased = options;
        for (Token token = 0; token < vocab; ++token)
          if ((mask[static_cast<std::size_t>(token) / 32] >> (token % 32) & 1) == 0)
            biased.logit_bias.emplace_back(token, -1e9);
        const TokenCounts counts(text);
        std::vector<RowScores> scores(static_cast<std::size_t>(pass.logits.rows()));
        std::vector<AskedRow> asked;
        for (int row = 0; row < pass.logits.rows(); ++row) {
          asked.push_back({.row = row, .position = row, .sampling = {{options, 5, counts}}});
          // Every second one may be anything.
          if (row % 2 == 0) asked.back().allowed = mask;
          asked.back().scores = &scores[static_cast<std::size_t>(row)];
        }
        chooser->answer(pass.logits, asked);
        for (int row = 0; row < pass.logits.rows(); ++row) {
          const SamplerOptions& same = row % 2 == 0 ? biased : options;
          EXPECT_EQ(asked[static_cast<std::size_t>(row)].token,
                    TokenChoice(vocab).choose({same, 5, counts}, pass.logits.row(row), row))
              << row;
          EXPECT_EQ(scores[static_cast<std::size_t>(row)].ids.front(),
                    TokenChoice(vocab).choose(SequenceSampling::greedy(), pass.logits.row(row), 0));
        }
      }
    });
  }
}

}  // namespace
}  // namespace outrider::sampling
