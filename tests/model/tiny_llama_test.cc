#include "tests/support/tiny_llama.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/model/model.h"

namespace outrider::model {
namespace {

using test::TinyShape;

class EveryType : public testing::TestWithParam<WeightType> {};

TEST_P(EveryType, LoadsTheModelThatWasWritten) {
  const TinyShape shape = {.layers = 3, .width = 96, .heads = 6, .kv_heads = 3, .head_width = 32};
  const auto bytes = test::tiny_llama_gguf(shape, 7, GetParam());
  const Model model = parse_model(bytes, "tiny");
  EXPECT_EQ(model.name, "tiny");
  EXPECT_EQ(model.config.layers, 3);
  EXPECT_EQ(model.config.width, 96);
  EXPECT_EQ(model.config.heads, 6);
  EXPECT_EQ(model.config.kv_heads, 3);
  EXPECT_EQ(model.config.head_width, 32);
  EXPECT_EQ(model.config.vocab, std::ssize(model.tokenizer.tokens));
  EXPECT_EQ(model.layers.size(), 3u);
  EXPECT_EQ(model.layers[2].q.rows, 192);
  EXPECT_EQ(model.layers[2].q.columns, 96);
  EXPECT_EQ(model.layers[2].k.rows, 96);
  EXPECT_EQ(model.layers[0].down.type, GetParam());
  EXPECT_EQ(model.layers[0].attn_norm.type, WeightType::kF32);
}

TEST_P(EveryType, HasMatricesOfVarianceOneOverTheirWidth) {
  const auto bytes = test::tiny_llama_gguf({}, 7, GetParam());
  const Model model = parse_model(bytes, "tiny");
  const Weight& weight = model.embedding;
  std::vector<float> row(static_cast<std::size_t>(weight.columns));
  double squares = 0;
  for (std::int64_t r = 0; r < weight.rows; ++r) {
    weight.read_row(r, row.data());
    for (const float number : row) squares += double{number} * number;
  }
  const double variance = squares / static_cast<double>(weight.rows * weight.columns);
  EXPECT_NEAR(variance * static_cast<double>(weight.columns), 1, 0.1);
}

INSTANTIATE_TEST_SUITE_P(, EveryType,
                         testing::Values(WeightType::kF32, WeightType::kF16, WeightType::kBF16,
                                         WeightType::kQ4_0, WeightType::kQ4_1, WeightType::kQ8_0),
                         [](const auto& type) { return std::string(type_name(type.param)); });

class Fused : public testing::TestWithParam<WeightType> {};

bool same_rows(const Weight& a, const Weight& b) {
  bool same = a.rows == b.rows && a.columns == b.columns && a.type == b.type;
  for (std::int64_t r = 0; same && r < a.rows; ++r)
    same = std::equal(a.row(r), a.row(r) + a.row_bytes(), b.row(r));
  return same;
}

TEST_P(Fused, FillsItsSlotsWithTheirRows) {
  // With heads of width 2 both row orders are the same.
  TinyShape shape = {
      .layers = 1, .width = 256, .heads = 128, .kv_heads = 64, .head_width = 2, .ffn_width = 256};
  const auto apart = test::tiny_llama_gguf(shape, 7, GetParam());
  shape.fused = true;
  const auto fused = test::tiny_llama_gguf(shape, 7, GetParam());
  const Model expected = parse_model(apart, "apart");
  const Model model = parse_model(fused, "fused");
  const LayerWeights& layer = model.layers[0];
  for (Weight LayerWeights::*slot :
       {&LayerWeights::q, &LayerWeights::k, &LayerWeights::v, &LayerWeights::o, &LayerWeights::gate,
        &LayerWeights::up, &LayerWeights::down})
    EXPECT_TRUE(same_rows(layer.*slot, expected.layers[0].*slot))
        << (expected.layers[0].*slot).name;
  // Nothing was copied: the slots are consecutive views into the file.
  EXPECT_EQ(layer.k.bytes.data(), layer.q.row(256));
  EXPECT_EQ(layer.v.bytes.data(), layer.k.row(128));
  EXPECT_EQ(layer.up.bytes.data(), layer.gate.row(256));
}

INSTANTIATE_TEST_SUITE_P(, Fused,
                         testing::Values(WeightType::kF32, WeightType::kF16, WeightType::kBF16,
                                         WeightType::kQ4_0, WeightType::kQ4_1, WeightType::kQ5_0,
                                         WeightType::kQ5_1, WeightType::kQ8_0, WeightType::kQ4_K,
                                         WeightType::kQ5_K, WeightType::kQ6_K, WeightType::kQ2_K,
                                         WeightType::kQ3_K, WeightType::kIQ4_NL,
                                         WeightType::kIQ4_XS, WeightType::kMXFP4),
                         [](const auto& type) { return std::string(type_name(type.param)); });

TEST(TinyLlama, UsesTheEmbeddingAsHeadOnlyWhenTied) {
  const auto tied = test::tiny_llama_gguf({.tied = true}, 1, WeightType::kF32);
  const auto untied = test::tiny_llama_gguf({.tied = false}, 1, WeightType::kF32);
  const Model with = parse_model(tied, "tied");
  const Model without = parse_model(untied, "untied");
  EXPECT_TRUE(with.tied);
  EXPECT_EQ(with.head.bytes.data(), with.embedding.bytes.data());
  EXPECT_FALSE(without.tied);
  EXPECT_EQ(without.head.name, "output.weight");
}

TEST(TinyLlama, HasATokenForEveryByteAndMergesOfItsOwnTokens) {
  const auto bytes = test::tiny_llama_gguf({}, 1, WeightType::kF32);
  const text::TokenizerSpec spec = parse_model(bytes, "tiny").tokenizer;
  EXPECT_EQ(spec.tokens[3 + 'a'], "a");
  EXPECT_EQ(spec.tokens[3 + ' '], "\u0120");
  EXPECT_EQ(spec.tokens[3 + 0xFF], "\u00FF");
  const auto has = [&](const std::string& token) {
    return std::find(spec.tokens.begin(), spec.tokens.end(), token) != spec.tokens.end();
  };
  for (const auto& [left, right] : spec.merges) {
    EXPECT_TRUE(has(left) && has(right) && has(left + right)) << left << " + " << right;
  }
  EXPECT_EQ(spec.end_tokens, std::vector<Token>{2});
  EXPECT_EQ(spec.kinds[2], text::TokenKind::kControl);
  EXPECT_EQ(spec.kinds[3], text::TokenKind::kNormal);
}

}  // namespace
}  // namespace outrider::model
