#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "runtime/sampling/sampler.h"
#include "tests/sampling/straightforward_sampler.h"

namespace outrider::sampling {
namespace {

class Cases {
 public:
  explicit Cases(std::uint64_t seed) : random_(seed) {}

  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random_() % values.size()));
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  std::vector<float> logits(int vocab) {
    const float spread = one_of({0.0f, 0.5f, 3.0f, 8.0f});
    const bool tied = below(4) == 0;  // whole numbers
    const bool holes = below(4) == 0;
    std::normal_distribution<float> normal;
    std::vector<float> out;
    for (int i = 0; i < vocab; ++i) {
      float z = normal(random_) * spread;
      if (tied) z = std::round(z);
      if (holes && i > 0 && below(3) == 0) z = -std::numeric_limits<float>::infinity();
      out.push_back(z);
    }
    if (below(2) == 0) out[static_cast<std::size_t>(below(vocab))] += 5;
    return out;
  }

  SamplerOptions options(int vocab) {
    SamplerOptions out;
    out.temperature = one_of({1e-300, 0.05, 0.3, 0.8, 0.8, 1.5, 100.0});
    out.top_k = one_of({0, 0, 0, 1, 2, 10, vocab - 1, vocab, vocab + 5});
    out.top_p = one_of({1.0, 1.0, 0.999999, 0.95, 0.95, 0.5, 0.1, 0.0});
    out.min_p = one_of({0.0, 0.0, 0.001, 0.05, 0.5, 1.0});
    out.repetition_penalty = one_of({1.0, 1.0, 1.3, 0.8});
    out.presence_penalty = one_of({0.0, 0.0, 0.7, -0.4});
    out.frequency_penalty = one_of({0.0, 0.0, 0.3});
    if (below(2) == 0) out.logit_bias = {{0, 1.5}, {vocab / 2, -2.0}};
    if (vocab == 1) out.logit_bias.resize(std::min<std::size_t>(out.logit_bias.size(), 1));
    return out;
  }

  TokenCounts counts(int vocab) {
    std::vector<Token> prompt;
    for (int i = below(20); i > 0; --i) prompt.push_back(below(vocab));
    TokenCounts out(prompt);
    for (int i = below(20); i > 0; --i) out.add(below(vocab));
    return out;
  }

 private:
  std::mt19937_64 random_;
};

// With probabilities this close to a threshold, the test's own sums are not exact enough.
constexpr double kTooClose = 1e-9;

void expect_same_choices(int vocab, int cases, std::uint64_t seed) {
  Cases make(seed);
  int compared = 0;
  for (int i = 0; i < cases; ++i) {
    const std::vector<float> logits = make.logits(vocab);
    const SamplerOptions options = make.options(vocab);
    const TokenCounts counts = make.counts(vocab);
    const test::Distribution distribution = test::exact_distribution(logits, options, counts);
    if (distribution.margin < kTooClose) continue;
    ++compared;
    Sampler sampler(options, vocab, seed);
    for (std::int64_t position = 0; position < 8; ++position)
      ASSERT_EQ(sampler.choose(logits, position, counts),
                test::straightforward_choice(distribution, seed, position))
          << "vocabulary " << vocab << ", case " << i << ": T " << options.temperature << ", top-k "
          << options.top_k << ", top-p " << options.top_p << ", min-p " << options.min_p;
  }
  EXPECT_GE(compared, cases * 9 / 10);
}

TEST(SamplerAgainstReference, ChoosesTheSameAsWithoutShortcuts) {
  expect_same_choices(1, 100, 1);
  expect_same_choices(2, 500, 2);
  expect_same_choices(7, 2000, 3);
  expect_same_choices(100, 2000, 4);
  expect_same_choices(1003, 500, 5);
}

TEST(SamplerAgainstReference, ChoosesTheSameFromALargeVocabulary) {
  expect_same_choices(49152, 40, 6);
}

TEST(SubsetAgainstTheWhole, ChoosesAsIfAllOtherTokensHadNoProbability) {
  Cases make(7);
  for (const int vocab : {1, 2, 7, 100, 1003}) {
    for (int i = 0; i < 500; ++i) {
      const std::vector<float> logits = make.logits(vocab);
      const SamplerOptions options = make.options(vocab);
      const TokenCounts counts = make.counts(vocab);
      std::vector<float> whole(logits.size(), -std::numeric_limits<float>::infinity());
      std::vector<Token> tokens;
      std::vector<float> of_tokens;
      const int share = 1 + make.below(4);
      for (Token token = 0; token < vocab; ++token) {
        if (token > 0 && make.below(share) > 0) continue;
        whole[static_cast<std::size_t>(token)] = logits[static_cast<std::size_t>(token)];
        tokens.push_back(token);
        of_tokens.push_back(logits[static_cast<std::size_t>(token)]);
      }
      TokenChoice of_subset(tokens), of_all(vocab);
      for (std::int64_t position = 0; position < 8; ++position) {
        const SequenceSampling sampling = {options, 7, counts};
        ASSERT_EQ(of_subset.choose(sampling, of_tokens, position),
                  of_all.choose(sampling, whole, position))
            << "vocabulary " << vocab << ", case " << i << ", " << tokens.size() << " tokens";
      }
    }
  }
}

}  // namespace
}  // namespace outrider::sampling
