#include <gtest/gtest.h>

#include <cstring>

#include "runtime/certify/certificate.h"
#include "runtime/engine/forward_text.h"
#include "tests/support/shallow_model.h"
#include "tests/support/tiny_engine.h"

namespace outrider::certify {
namespace {

/// A whole model and one that is it but for the head. 53 tokens end within a panel of outputs.
struct Heads {
  std::vector<std::byte> bytes;
  model::Model whole;
  model::Model trimmed;
  engine::EngineOptions options;

  Heads(model::WeightType type, engine::Numerics numerics)
      : bytes(test::tiny_llama_gguf({.head_width = 32}, 3, type)),
        whole(model::parse_model(bytes, "tiny")),
        trimmed(test::shallow_model(whole, std::vector{1, 2},
                                    test::every_token(whole.config.vocab, 7, 5))),
        options{.numerics = numerics, .threads = 2} {}
};

class TrimmedHeads : public testing::TestWithParam<std::pair<model::WeightType, engine::Numerics>> {
};

TEST_P(TrimmedHeads, GiveTheLogitsOfTheirTokens) {
  const Heads heads(GetParam().first, GetParam().second);
  const auto text = test::random_tokens(150, heads.whole.config.vocab, 4);  // most have no head row
  const auto whole = engine::make_engine(heads.whole, heads.options);
  const auto trimmed = engine::make_engine(heads.trimmed, heads.options);
  const auto& tokens = heads.trimmed.head_tokens;
  ASSERT_EQ(tokens.size(), 54u);
  ASSERT_EQ(trimmed->num_logits(), std::ssize(tokens));
  ASSERT_EQ(whole->num_logits(), heads.whole.config.vocab);
  EXPECT_LT(trimmed->weight_bytes(), whole->weight_bytes());

  const auto whole_cache = whole->make_cache(200);
  engine::Pass expected;
  expected.sequences = {whole_cache.get()};
  expected.add_chain(0, text, true);
  whole->forward(expected);
  int row = 0;
  const engine::TextOptions in_chunks = {.rows = 64, .logits_from = 0};
  engine::forward_text(*trimmed, text, in_chunks, [&](const engine::Pass& pass, int first) {
    for (int i = 0; first + i < std::ssize(text) && i < std::ssize(pass.rows); ++i, ++row) {
      const auto all = expected.row_logits(first + i);
      const auto some = pass.row_logits(i);
      ASSERT_EQ(some.size(), tokens.size());
      for (std::size_t t = 0; t < tokens.size(); ++t)
        ASSERT_EQ(std::memcmp(&some[t], &all[static_cast<std::size_t>(tokens[t])], sizeof(float)),
                  0)
            << "row " << first + i << ", token " << tokens[t];
    }
  });
  EXPECT_EQ(row, 150);
}

TEST_P(TrimmedHeads, AreCertified) {
  const Heads heads(GetParam().first, GetParam().second);
  const auto engine = engine::make_engine(heads.trimmed, heads.options);
  CertifyOptions options;
  options.max_context = 60;
  const Certificate certificate =
      certify(*engine, options, [](const Certificate& c) { return c.cases < 3; });
  EXPECT_EQ(certificate.difference.value_or("none"), "none");
  for (const CertifyCounts& counts : certificate.counts) EXPECT_GT(counts.logits_rows, 0);
}

INSTANTIATE_TEST_SUITE_P(
    , TrimmedHeads,
    testing::Values(std::pair{model::WeightType::kF32, engine::Numerics::kF32},
                    std::pair{model::WeightType::kBF16, engine::Numerics::kBf16},
                    std::pair{model::WeightType::kQ8_0, engine::Numerics::kInt8},
                    std::pair{model::WeightType::kQ4_1, engine::Numerics::kInt8}));

TEST(TrimmedHead, OwnsItsBytes) {
  const auto copy_of_trimmed = [] {
    const Heads heads(model::WeightType::kF32, engine::Numerics::kF32);
    model::Model trimmed = heads.trimmed;
    trimmed.layers.clear();  // views into what dies here
    return trimmed;
  };
  const model::Model model = copy_of_trimmed();
  const Heads again(model::WeightType::kF32, engine::Numerics::kF32);
  EXPECT_EQ(std::memcmp(model.head.bytes.data(), again.trimmed.head.bytes.data(),
                        model.head.bytes.size()),
            0);
}

}  // namespace
}  // namespace outrider::certify
