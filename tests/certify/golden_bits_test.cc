#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "runtime/certify/certificate.h"
#include "runtime/model/identity.h"
#include "tests/support/default_model.h"
#include "tests/support/golden_models.h"
#include "tests/support/source_path.h"

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

constexpr int kShort = test::GoldenModel::kShort;

std::string found(Engine& engine, int tokens) {
  return fmt::format("{:016x}", hash_of_fixed_text(engine, tokens));
}

void expect_on_every_instruction_set(const Engine& engine, int tokens, const std::string& golden) {
  for (const engine::Variant& variant : engine.variants())
    EXPECT_EQ(found(*variant.make(2), tokens), golden) << variant.name;
}

class GoldenBits : public test::DefaultModel {};

TEST_F(GoldenBits, OfInt8OnEveryInstructionSet) {
  expect_on_every_instruction_set(*make_engine(model_, {.numerics = Numerics::kInt8, .threads = 2}),
                                  kShort, golden_bits()["int8"]);
}

TEST_F(GoldenBits, OfFloats) {
  EXPECT_EQ(found(*make_engine(model_, {.numerics = Numerics::kF32, .threads = 2}), kShort),
            golden_bits()["f32"]);
}

TEST_F(GoldenBits, OfTheWholeText) {
  for (const auto& [name, numerics] : {std::pair{"int8, 600 tokens", Numerics::kInt8},
                                       std::pair{"f32, 600 tokens", Numerics::kF32}})
    EXPECT_EQ(found(*make_engine(model_, {.numerics = numerics, .threads = 2}), kFixedTextTokens),
              golden_bits()[name])
        << name;
}

TEST_F(GoldenBits, AreOfThisFile) {
  EXPECT_EQ(model::model_hash(model_), golden_bits()["model_hash"]);
}

class GoldenBitsOfTinyModels : public testing::TestWithParam<test::GoldenModel> {};

TEST_P(GoldenBitsOfTinyModels, OnEveryInstructionSet) {
  const test::GoldenModel& tiny = GetParam();
  const auto bytes = tiny.bytes();
  const model::Model model = tiny.parsed(bytes);
  expect_on_every_instruction_set(
      *make_engine(model, {.threads = 2, .quantise = tiny.quantise, .kv = tiny.kv}), tiny.tokens,
      golden_bits()["tiny"].value(tiny.name(), "none"));
}

class GoldenBitsOfFolders : public testing::TestWithParam<const char*> {};

TEST_P(GoldenBitsOfFolders, OnEveryInstructionSet) {
  const std::string name = GetParam();
  const model::Model model = model::load_model(test::source_path("tests/golden/hf/" + name));
  const nlohmann::json golden = golden_bits()["folders"];
  expect_on_every_instruction_set(*make_engine(model, {.threads = 2}), kShort,
                                  golden.value(name, "none"));
  expect_on_every_instruction_set(*make_engine(model, {.threads = 2, .quantise = true}), kShort,
                                  golden.value(name + " as q8_0", "none"));
}

INSTANTIATE_TEST_SUITE_P(Families, GoldenBitsOfFolders,
                         testing::Values("gemma2", "gemma3", "granite", "smollm3", "qwen2_yarn",
                                         "mixtral", "qwen3_moe", "qwen3_moe_shares", "gpt_oss",
                                         "gpt_oss_mxfp4"));

INSTANTIATE_TEST_SUITE_P(AllTypes, GoldenBitsOfTinyModels,
                         testing::ValuesIn(test::golden_models()));
INSTANTIATE_TEST_SUITE_P(TypesOfProcessors, GoldenBitsOfTinyModels,
                         testing::ValuesIn(test::golden_models_of_processors()));
INSTANTIATE_TEST_SUITE_P(LongTexts, GoldenBitsOfTinyModels,
                         testing::ValuesIn(test::golden_models_of_long_texts()));

}  // namespace
}  // namespace outrider::certify
