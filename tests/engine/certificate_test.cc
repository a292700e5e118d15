#include "runtime/engine/certificate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/tiny_llama.h"

namespace outrider::engine {
namespace {

constexpr int kCases = 8;

struct Setting {
  model::WeightType type;
  Numerics numerics;
  test::TinyShape shape;
  std::vector<int> windows = {};  // of the layers
};

Certificate certify_model(const model::Model& model, Numerics numerics, std::uint64_t seed,
                          bool quantise = false) {
  CertifyOptions options;
  options.numerics = numerics;
  options.quantise = quantise;
  options.max_context = 90;
  options.seed = seed;
  return certify(model, options, [](const Certificate& c) { return c.cases < kCases; });
}

Certificate certify_tiny(const Setting& setting, std::uint64_t seed) {
  const auto bytes = test::tiny_llama_gguf(setting.shape, seed, setting.type);
  model::Model model = model::parse_model(bytes, "tiny");
  model.config.windows = setting.windows;
  return certify_model(model, setting.numerics, seed);
}

class TinyModels : public testing::TestWithParam<Setting> {};

TEST_P(TinyModels, GiveTheSameBitsInAnyCompany) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const Certificate certificate = certify_tiny(GetParam(), seed);
    EXPECT_EQ(certificate.difference.value_or("none"), "none");
    for (const CertifyCounts& counts : certificate.counts) {
      EXPECT_GE(counts.rows, kCases) << counts.isa;
      EXPECT_GE(counts.deepest_path, 3) << counts.isa;
      EXPECT_GT(counts.moved_rows, 0) << counts.isa;
    }
  }
}

const test::TinyShape kGrouped = {
    .layers = 2, .width = 64, .heads = 4, .kv_heads = 2, .head_width = 32, .ffn_width = 96};
const test::TinyShape kWide = {.layers = 3,
                               .width = 96,
                               .heads = 3,
                               .kv_heads = 1,
                               .head_width = 64,
                               .ffn_width = 160,
                               .tied = false};

const test::TinyShape kSuper = {
    .layers = 2, .width = 256, .heads = 4, .kv_heads = 2, .head_width = 64, .ffn_width = 256};

INSTANTIATE_TEST_SUITE_P(
    AllNumerics, TinyModels,
    testing::Values(Setting{model::WeightType::kF32, Numerics::kF32, kGrouped},
                    Setting{model::WeightType::kF16, Numerics::kBf16, kGrouped},
                    Setting{model::WeightType::kBF16, Numerics::kBf16, kWide},
                    Setting{model::WeightType::kQ4_1, Numerics::kF32, kWide},
                    Setting{model::WeightType::kQ4_0, Numerics::kInt8, kGrouped},
                    Setting{model::WeightType::kQ4_1, Numerics::kInt8, kWide},
                    Setting{model::WeightType::kQ5_0, Numerics::kInt8, kGrouped},
                    Setting{model::WeightType::kQ5_1, Numerics::kInt8, kGrouped},
                    Setting{model::WeightType::kQ8_0, Numerics::kInt8, kGrouped},
                    Setting{model::WeightType::kQ4_K, Numerics::kInt8, kSuper},
                    Setting{model::WeightType::kQ5_K, Numerics::kInt8, kSuper},
                    Setting{model::WeightType::kQ6_K, Numerics::kInt8, kSuper}));

// Windows that end among the committed tokens, within a tree, and at the row itself.
INSTANTIATE_TEST_SUITE_P(
    Windows, TinyModels,
    testing::Values(Setting{model::WeightType::kF32, Numerics::kF32, kGrouped, {40, 3}},
                    Setting{model::WeightType::kQ4_0, Numerics::kInt8, kGrouped, {17, 0}},
                    Setting{model::WeightType::kBF16, Numerics::kBf16, kWide, {1, 16, 5}}));

class Folders : public testing::TestWithParam<const char*> {};

TEST_P(Folders, GiveTheSameBitsInAnyCompany) {
  const std::string path = OUTRIDER_SOURCE_DIR "/tests/golden/hf/";
  const model::Model model = model::load_model(path + GetParam());
  EXPECT_EQ(certify_model(model, Numerics::kAuto, 1).difference.value_or("none"), "none");
  EXPECT_EQ(certify_model(model, Numerics::kAuto, 2, true).difference.value_or("none"), "none");
}

INSTANTIATE_TEST_SUITE_P(, Folders,
                         testing::Values("mistral_window", "qwen2_window", "phi3", "phi3_partial",
                                         "phi3_longrope", "opt", "bloom_three_heads",
                                         "gpt_bigcode"),
                         [](const auto& folder) { return std::string(folder.param); });

}  // namespace
}  // namespace outrider::engine
