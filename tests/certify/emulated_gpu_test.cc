// The kernels of a GPU, run without one, find the bits of the processor.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/certify/certificate.h"
#include "tests/support/source_path.h"
#include "tests/support/tiny_llama.h"

namespace outrider::certify {
namespace {

using engine::DeviceChoice;
using engine::Engine;
using engine::KvType;
using model::WeightType;

std::unique_ptr<Engine> emulated(const model::Model& model, std::optional<KvType> kv = {}) {
  return engine::make_engine(model, {.device = {DeviceChoice::Kind::kCudaEmulated}, .kv = kv});
}

bool equal(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// Its name is that in tests/golden/engine_bits.json.
struct OnGpu {
  WeightType type;
  std::string name;
  int head_width = 64;
  std::optional<KvType> kv = {};
  int tokens = 64;
  std::vector<int> windows = {};  // of the two layers
};

class EmulatedGpu : public testing::TestWithParam<OnGpu> {
 protected:
  EmulatedGpu()
      : bytes_(test::tiny_llama_gguf({.layers = 2,
                                      .width = 256,
                                      .heads = 4,
                                      .kv_heads = 2,
                                      .head_width = GetParam().head_width,
                                      .ffn_width = 256,
                                      .context = 1024},
                                     1, GetParam().type)),
        model_(model::parse_model(bytes_, "tiny")) {
    model_.config.windows = GetParam().windows;
  }

  std::vector<std::byte> bytes_;
  model::Model model_;
};

TEST_P(EmulatedGpu, FindsTheGoldenBits) {
  std::ifstream file(test::source_path("tests/golden/engine_bits.json"));
  const auto golden = nlohmann::json::parse(file)["tiny"].value(GetParam().name, "none");
  const auto engine = emulated(model_, GetParam().kv);
  EXPECT_EQ(fmt::format("{:016x}", hash_of_fixed_text(*engine, GetParam().tokens)), golden);
}

class EmulatedGpuTrees : public EmulatedGpu {};

/// Rows of random trees, in passes of few rows and of many, with one worker and with several, against the processor's
/// one by one: logits, states, attention, keys and values.
TEST_P(EmulatedGpuTrees, HasTheProcessorsCertificate) {
  const auto processor = engine::make_engine(
      model_, {.device = {DeviceChoice::Kind::kCpu}, .threads = 1, .kv = GetParam().kv});
  const auto gpu = emulated(model_, GetParam().kv);
  CertifyOptions options;
  options.variants = {{"cuda-emulated", [&](int workers) { return gpu->with_workers(workers); }}};
  options.max_context = GetParam().tokens == kFixedTextTokens ? 280 : 40;
  options.max_rows = 12;
  const Certificate certificate = certify(*processor, options, [](const Certificate& so_far) {
    return so_far.cases == 0 && so_far.counts[0].passes < 8;
  });
  EXPECT_EQ(certificate.difference, std::nullopt);
  EXPECT_GT(certificate.counts[0].rows, 20);
}

/// Passes of one row up to many: each number of rows has products of its own form.
TEST_P(EmulatedGpu, ReadsATextInPassesOfAnySize) {
  const auto processor = engine::make_engine(
      model_, {.device = {DeviceChoice::Kind::kCpu}, .threads = 1, .kv = GetParam().kv});
  const auto gpu = emulated(model_, GetParam().kv);
  const auto expected_cache = processor->make_cache(64), cache = gpu->make_cache(64);
  engine::Pass expected, found;
  expected.sequences = {expected_cache.get()};
  found.sequences = {cache.get()};
  int token = 0;
  for (const int rows : {1, 2, 3, 9, 17}) {
    std::vector<Token> tokens;
    for (int i = 0; i < rows; ++i) tokens.push_back((7919 * token++ + 17) % model_.config.vocab);
    for (engine::Pass* pass : {&expected, &found}) {
      pass->rows.clear();
      pass->add_chain(0, tokens, true);
    }
    processor->forward(expected);
    gpu->forward(found);
    for (int i = 0; i < rows; ++i)
      EXPECT_TRUE(equal(expected.row_logits(i), found.row_logits(i))) << rows << " rows, row " << i;
    expected_cache->commit_first(rows);
    cache->commit_first(rows);
  }
}

INSTANTIATE_TEST_SUITE_P(
    AllTypes, EmulatedGpu,
    testing::Values(OnGpu{WeightType::kF32, "F32"}, OnGpu{WeightType::kF16, "F16"},
                    OnGpu{WeightType::kBF16, "BF16"}, OnGpu{WeightType::kQ4_0, "Q4_0"},
                    OnGpu{WeightType::kQ4_1, "Q4_1"}, OnGpu{WeightType::kQ5_0, "Q5_0"},
                    OnGpu{WeightType::kQ5_1, "Q5_1"}, OnGpu{WeightType::kQ8_0, "Q8_0"},
                    OnGpu{WeightType::kQ4_K, "Q4_K"}, OnGpu{WeightType::kQ5_K, "Q5_K"},
                    OnGpu{WeightType::kQ6_K, "Q6_K"},
                    OnGpu{WeightType::kF32, "F32, heads of 80", 80},
                    OnGpu{WeightType::kBF16, "BF16, heads of 48", 48},
                    OnGpu{WeightType::kQ4_1, "Q4_1, heads of 80", 80},
                    OnGpu{WeightType::kQ8_0, "Q8_0, heads of 16", 16},
                    OnGpu{WeightType::kF32, "F32, heads of 80, kv q8_0", 80, KvType::kQ8_0},
                    OnGpu{WeightType::kQ4_1, "Q4_1, kv q8_0", 64, KvType::kQ8_0}));

// Attention of three splits.
INSTANTIATE_TEST_SUITE_P(LongTexts, EmulatedGpu,
                         testing::Values(OnGpu{.type = WeightType::kQ4_1,
                                               .name = "Q4_1, 600 tokens, windows of 300 and 40",
                                               .tokens = kFixedTextTokens,
                                               .windows = {300, 40}},
                                         OnGpu{.type = WeightType::kQ4_1,
                                               .name = "Q4_1, kv q8_0, 600 tokens",
                                               .kv = KvType::kQ8_0,
                                               .tokens = kFixedTextTokens}));

INSTANTIATE_TEST_SUITE_P(SomeTypes, EmulatedGpuTrees,
                         testing::Values(OnGpu{WeightType::kQ4_1, ""}, OnGpu{WeightType::kQ4_K, ""},
                                         OnGpu{WeightType::kBF16, "", 48},
                                         OnGpu{WeightType::kF32, "", 80, KvType::kQ8_0},
                                         OnGpu{.type = WeightType::kQ6_K,
                                               .name = "",
                                               .tokens = kFixedTextTokens,
                                               .windows = {300, 40}}));

}  // namespace
}  // namespace outrider::certify
