// The default model, against gguf-py's reading of the same file.

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/model/model.h"
#include "tests/support/source_path.h"

namespace outrider::model {
namespace {

const Model& smollm2() {
  static const Model model = load_model(test::default_model());
  return model;
}

nlohmann::json golden() {
  std::ifstream file(test::source_path("tests/golden/smollm2_weights.json"));
  return nlohmann::json::parse(file);
}

/// Sum over all numbers of bits * (2 index + 1), modulo 2^64, as in make_dequantise.py.
std::uint64_t checksum(const Weight& weight) {
  std::vector<float> row(static_cast<std::size_t>(weight.columns));
  std::uint64_t sum = 0;
  std::uint64_t factor = 1;
  for (std::int64_t r = 0; r < weight.rows; ++r) {
    weight.read_row(r, row.data());
    for (const float number : row) {
      sum += std::bit_cast<std::uint32_t>(number) * factor;
      factor += 2;
    }
  }
  return sum;
}

std::map<std::string, const Weight*> weights_by_name(const Model& model) {
  std::map<std::string, const Weight*> weights;
  const auto add = [&](const Weight& weight) { weights[weight.name] = &weight; };
  add(model.embedding);
  add(model.final_norm);
  for (const LayerWeights& layer : model.layers) {
    for (const Weight* weight : {&layer.attn_norm, &layer.q, &layer.k, &layer.v, &layer.o,
                                 &layer.ffn_norm, &layer.gate, &layer.up, &layer.down}) {
      add(*weight);
    }
  }
  return weights;
}

TEST(SmolLM2, HasTheShapeOfItsFile) {
  const auto expected = golden()["config"];
  const ModelConfig& config = smollm2().config;
  EXPECT_EQ(config.architecture, "llama");
  EXPECT_EQ(config.layers, expected["llama.block_count"]);
  EXPECT_EQ(config.width, expected["llama.embedding_length"]);
  EXPECT_EQ(config.heads, expected["llama.attention.head_count"]);
  EXPECT_EQ(config.kv_heads, expected["llama.attention.head_count_kv"]);
  EXPECT_EQ(config.head_width, expected["llama.rope.dimension_count"]);
  EXPECT_EQ(config.ffn_width, expected["llama.feed_forward_length"]);
  EXPECT_EQ(config.vocab, expected["llama.vocab_size"]);
  EXPECT_EQ(config.context, expected["llama.context_length"]);
  EXPECT_EQ(config.rope_base, expected["llama.rope.freq_base"].get<float>());
  EXPECT_EQ(config.norm_epsilon, expected["llama.attention.layer_norm_rms_epsilon"].get<float>());
  EXPECT_TRUE(smollm2().tied);
}

TEST(SmolLM2, HasEveryNumberOfEveryTensorBitForBit) {
  const auto weights = weights_by_name(smollm2());
  const auto tensors = golden()["tensors"];
  ASSERT_EQ(tensors.size(), weights.size());
  for (const auto& expected : tensors) {
    const std::string name = expected["name"];
    ASSERT_TRUE(weights.contains(name)) << name;
    const Weight& weight = *weights.at(name);
    EXPECT_EQ(weight.rows, expected["rows"]) << name;
    EXPECT_EQ(weight.columns, expected["columns"]) << name;
    EXPECT_EQ(type_name(weight.type), expected["type"].get<std::string>()) << name;
    EXPECT_EQ(checksum(weight), std::stoull(expected["checksum"].get<std::string>(), nullptr, 16))
        << name;
  }
}

TEST(SmolLM2, HasItsTokenizersSpecification) {
  // As in the model card: no token before a text, <|im_end|> after it.
  const text::TokenizerSpec& spec = smollm2().tokenizer;
  EXPECT_EQ(spec.model, "gpt2");
  EXPECT_EQ(spec.pre, "smollm");
  EXPECT_EQ(spec.tokens.size(), 49152u);
  EXPECT_EQ(spec.kinds.size(), 49152u);
  EXPECT_EQ(spec.merges.size(), 48900u);
  EXPECT_EQ(spec.tokens[2], "<|im_end|>");
  EXPECT_EQ(spec.end_tokens, std::vector<Token>{2});
  EXPECT_FALSE(spec.add_bos);
  EXPECT_NE(spec.chat_template.find("<|im_start|>system"), std::string::npos);
}

TEST(SmolLM2, ReadsTheSameAfterItsPagesWereReleased) {
  const Weight& weight = smollm2().layers[7].k;
  const std::uint64_t before = checksum(weight);
  smollm2().release_pages();
  EXPECT_EQ(checksum(weight), before);
}

}  // namespace
}  // namespace outrider::model
