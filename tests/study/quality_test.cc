#include "data/study/quality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/tiny_engine.h"

namespace outrider::study {
namespace {

TEST(Quality, ComparesTwoDistributionsAsByHand) {
  // p = (1/2, 1/4, 1/4), q = (1/4, 1/2, 1/4); logits may be shifted.
  const std::vector<float> p = {std::log(2.0f), 0.0f, 0.0f};
  const std::vector<float> q = {7.0f, 7.0f + std::log(2.0f), 7.0f};
  Quality quality;
  quality.add(p, q, 1);
  EXPECT_NEAR(quality.reference_perplexity(), 4, 1e-5);
  EXPECT_NEAR(quality.perplexity(), 2, 1e-5);
  EXPECT_NEAR(quality.divergence, 0.25 * std::log(2.0), 1e-6);
  EXPECT_EQ(quality.same_best, 0);
  quality.add(p, p, 0);
  EXPECT_EQ(quality.same_best, 1);
  EXPECT_NEAR(quality.divergence, 0.25 * std::log(2.0), 1e-6);
  EXPECT_NEAR(quality.worst_divergence, 0.25 * std::log(2.0), 1e-6);
  EXPECT_NEAR(quality.reference_perplexity(), std::sqrt(8.0), 1e-5);
  EXPECT_NEAR(quality.perplexity(), 2, 1e-5);
  // The differences are -ln 2 and 0: their deviation is ln 2 / 2, the error of the mean / sqrt(2).
  EXPECT_NEAR(quality.perplexity_change(), 1 / std::sqrt(2.0) - 1, 1e-5);
  EXPECT_NEAR(quality.perplexity_change_error(), std::log(2.0) / 4, 1e-5);
}

/// -log p of the tokens from `first` on, by one pass over all of them.
double surprisal_of(engine::Engine& engine, const std::vector<Token>& tokens, std::size_t first) {
  const auto cache = engine.make_cache(static_cast<int>(tokens.size()));
  engine::Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, tokens, true);
  engine.forward(pass);
  double sum = 0;
  for (std::size_t i = first; i < tokens.size(); ++i) {
    const auto logits = pass.row_logits(static_cast<int>(i) - 1);
    double norm = 0;
    for (const float logit : logits) norm += std::exp(static_cast<double>(logit));
    sum += std::log(norm) - static_cast<double>(logits[static_cast<std::size_t>(tokens[i])]);
  }
  return sum;
}

TEST(QualityMeter, ScoresTheTokensFromTheFirstOnWhereverChunksEnd) {
  test::TinyEngine tiny(model::WeightType::kQ4_1, 3, 1);
  const auto exact =
      engine::make_engine(tiny.model, {.numerics = engine::Numerics::kF32, .threads = 1});
  const auto tokens = test::random_tokens(150, tiny.model.config.vocab, 9);
  for (const std::size_t first :
       {std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{66}, std::size_t{149}}) {
    QualityMeter meter(*exact, tiny.engine, 150);
    meter.read(tokens, first);
    EXPECT_EQ(meter.quality().tokens, static_cast<std::int64_t>(tokens.size() - first));
    EXPECT_NEAR(meter.quality().reference_surprisal, surprisal_of(*exact, tokens, first), 1e-6);
    EXPECT_NEAR(meter.quality().surprisal, surprisal_of(tiny.engine, tokens, first), 1e-6);
    EXPECT_GT(meter.quality().divergence, 0);
  }
}

TEST(QualityMeter, FindsKeysAndValuesOf8BitsCloseAndOf16Closer) {
  const test::TinyEngine tiny(model::WeightType::kF32, 3, 1);
  const auto divergence = [&](engine::KvType kv) {
    const auto with = [&](engine::KvType type) {
      return engine::make_engine(tiny.model,
                                 {.numerics = engine::Numerics::kF32, .threads = 1, .kv = type});
    };
    const auto exact = with(engine::KvType::kF32), rounded = with(kv);
    QualityMeter meter(*exact, *rounded, 150);
    meter.read(test::random_tokens(150, tiny.model.config.vocab, 9), 1);
    return meter.quality().divergence / 149;
  };
  const double halves = divergence(engine::KvType::kF16), bytes = divergence(engine::KvType::kQ8_0);
  EXPECT_GT(halves, 0);
  EXPECT_GT(bytes, 10 * halves);
  EXPECT_LT(bytes, 1e-3);
}

TEST(QualityMeter, FindsNoDifferenceBetweenAnEngineAndItsLike) {
  test::TinyEngine tiny(model::WeightType::kQ4_1, 3, 1);
  const auto same = tiny.engine.with_workers(2);
  QualityMeter meter(tiny.engine, *same, 90);
  for (const std::uint64_t seed : {1u, 2u})
    meter.read(test::random_tokens(90, tiny.model.config.vocab, seed), 20);
  EXPECT_EQ(meter.quality().tokens, 140);
  EXPECT_EQ(meter.quality().same_best, 140);
  EXPECT_EQ(meter.quality().divergence, 0);
  EXPECT_EQ(meter.quality().perplexity_change(), 0);
}

}  // namespace
}  // namespace outrider::study
