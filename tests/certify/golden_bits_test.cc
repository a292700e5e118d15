#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/certify/certificate.h"
#include "tests/support/source_path.h"
#include "tests/support/tiny_llama.h"

namespace outrider::certify {
namespace {

using engine::Engine;
using engine::make_engine;
using engine::Numerics;

// The same bits on every machine: what one wrote down, all others must find.
nlohmann::json golden_bits() {
  std::ifstream file(test::source_path("tests/golden/engine_bits.json"));
  return nlohmann::json::parse(file);
}

/// Tokens whose attention is one chain, as it was before it had splits.
constexpr int kShort = 64;

std::string found(Engine& engine, int tokens) {
  return fmt::format("{:016x}", hash_of_fixed_text(engine, tokens));
}

void expect_on_every_instruction_set(const Engine& engine, int tokens, const std::string& golden) {
  for (const engine::Variant& variant : engine.variants())
    EXPECT_EQ(found(*variant.make(2), tokens), golden) << variant.name;
}

class GoldenBits : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(test::default_model()))
      GTEST_SKIP() << test::default_model() << " is absent; scripts/setup fetches it";
    model_ = model::load_model(test::default_model());
  }

  model::Model model_;
};

TEST_F(GoldenBits, OfInt8OnEveryInstructionSet) {
  expect_on_every_instruction_set(*make_engine(model_, {.numerics = Numerics::kInt8, .threads = 2}),
                                  kShort, golden_bits()["int8"]);
}

TEST_F(GoldenBits, OfFloats) {
  EXPECT_EQ(found(*make_engine(model_, {.numerics = Numerics::kF32, .threads = 2}), kShort),
            golden_bits()["f32"]);
}

TEST_F(GoldenBits, OfTheWholeText) {
  EXPECT_EQ(
      found(*make_engine(model_, {.numerics = Numerics::kInt8, .threads = 2}), kFixedTextTokens),
      golden_bits()["int8, 600 tokens"]);
}

/// A tiny random model; the same file everywhere.
struct Tiny {
  model::WeightType type;
  bool quantise = false;  // --quantise q8_0
  int head_width = 64;
  std::optional<engine::KvType> kv = {};
  int tokens = kShort;
  std::vector<int> windows = {};  // of the two layers

  std::string name() const {
    return fmt::format(
        "{}{}{}{}{}{}", model::type_name(type), quantise ? " as q8_0" : "",
        head_width == 64 ? "" : fmt::format(", heads of {}", head_width),
        kv == engine::KvType::kQ8_0 ? ", kv q8_0" : "",
        tokens == kShort ? "" : fmt::format(", {} tokens", tokens),
        windows.empty() ? "" : fmt::format(", windows of {}", fmt::join(windows, " and ")));
  }
};

class GoldenBitsOfTinyModels : public testing::TestWithParam<Tiny> {};

TEST_P(GoldenBitsOfTinyModels, OnEveryInstructionSet) {
  const test::TinyShape shape = {.layers = 2,
                                 .width = 256,
                                 .heads = 4,
                                 .kv_heads = 2,
                                 .head_width = GetParam().head_width,
                                 .ffn_width = 256,
                                 .context = 1024};
  const auto bytes = test::tiny_llama_gguf(shape, 1, GetParam().type);
  model::Model model = model::parse_model(bytes, "tiny");
  model.config.windows = GetParam().windows;
  expect_on_every_instruction_set(
      *make_engine(model, {.threads = 2, .quantise = GetParam().quantise, .kv = GetParam().kv}),
      GetParam().tokens, golden_bits()["tiny"].value(GetParam().name(), "none"));
}

using model::WeightType;

INSTANTIATE_TEST_SUITE_P(
    AllTypes, GoldenBitsOfTinyModels,
    testing::Values(Tiny{WeightType::kF32}, Tiny{WeightType::kF16}, Tiny{WeightType::kBF16},
                    Tiny{WeightType::kQ4_0}, Tiny{WeightType::kQ4_1}, Tiny{WeightType::kQ5_0},
                    Tiny{WeightType::kQ5_1}, Tiny{WeightType::kQ8_0}, Tiny{WeightType::kQ4_K},
                    Tiny{WeightType::kQ5_K}, Tiny{WeightType::kQ6_K}, Tiny{WeightType::kF32, true},
                    Tiny{WeightType::kF16, true}, Tiny{WeightType::kBF16, true},
                    Tiny{WeightType::kF32, false, 80}, Tiny{WeightType::kBF16, false, 48},
                    Tiny{WeightType::kQ4_1, false, 80}, Tiny{WeightType::kQ8_0, false, 16},
                    Tiny{WeightType::kF32, false, 80, engine::KvType::kQ8_0},
                    Tiny{WeightType::kQ4_1, false, 64, engine::KvType::kQ8_0}));

// Attention of three splits, with every type of keys and values, which is f32 for F32 and f16 for Q4_1.
INSTANTIATE_TEST_SUITE_P(
    LongTexts, GoldenBitsOfTinyModels,
    testing::Values(
        Tiny{.type = WeightType::kF32, .tokens = kFixedTextTokens},
        Tiny{.type = WeightType::kQ4_1, .tokens = kFixedTextTokens},
        Tiny{.type = WeightType::kQ4_1, .kv = engine::KvType::kQ8_0, .tokens = kFixedTextTokens},
        Tiny{.type = WeightType::kQ4_1, .tokens = kFixedTextTokens, .windows = {300, 40}},
        Tiny{.type = WeightType::kF32,
             .head_width = 80,
             .tokens = kFixedTextTokens,
             .windows = {256, 0}}));

}  // namespace
}  // namespace outrider::certify
