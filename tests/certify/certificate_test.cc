#include "runtime/certify/certificate.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "runtime/certify/certificate_case.h"
#include "runtime/engine/cpu/cpu_engine.h"
#include "tests/support/source_path.h"
#include "tests/support/tiny_llama.h"

namespace outrider::certify {
namespace {

using engine::Engine;
using engine::Isa;
using engine::KvType;
using engine::make_engine;
using engine::Numerics;
namespace cpu = engine::cpu;
using cpu::Attention;
using cpu::Kernels;
using cpu::Packing;
using cpu::Product;
namespace scalar = cpu::scalar;

constexpr int kCases = 8;

struct Setting {
  model::WeightType type;
  Numerics numerics;
  test::TinyShape shape;
  std::vector<int> windows = {};  // of the layers
  std::optional<KvType> kv = {};
  int max_context = 90;
};

Certificate certify_engine(const Engine& engine, const CertifyOptions& options) {
  return certify(engine, options, [](const Certificate& c) { return c.cases < kCases; });
}

Certificate certify_model(const model::Model& model, Numerics numerics, std::uint64_t seed,
                          bool quantise = false, std::optional<KvType> kv = {},
                          int max_context = 90) {
  CertifyOptions options;
  options.max_context = max_context;
  options.seed = seed;
  return certify_engine(
      *make_engine(model, {.numerics = numerics, .threads = 1, .quantise = quantise, .kv = kv}),
      options);
}

Certificate certify_tiny(const Setting& setting, std::uint64_t seed) {
  const auto bytes = test::tiny_llama_gguf(setting.shape, seed, setting.type);
  model::Model model = model::parse_model(bytes, "tiny");
  model.config.windows = setting.windows;
  return certify_model(model, setting.numerics, seed, false, setting.kv, setting.max_context);
}

class TinyModels : public testing::TestWithParam<Setting> {};

TEST_P(TinyModels, GiveTheSameBitsInEveryPass) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const Certificate certificate = certify_tiny(GetParam(), seed);
    EXPECT_EQ(certificate.difference.value_or("none"), "none");
    for (const CertifyCounts& counts : certificate.counts) {
      EXPECT_GE(counts.rows, kCases) << counts.variant;
      EXPECT_GE(counts.deepest_path, 3) << counts.variant;
      EXPECT_GT(counts.moved_rows, 0) << counts.variant;
      EXPECT_GT(counts.logits_rows, 0) << counts.variant;
      EXPECT_LT(counts.logits_rows, counts.rows) << counts.variant;
      EXPECT_GT(counts.threads.size(), 1u) << counts.variant;
      EXPECT_GE(counts.shortest_context, 1) << counts.variant;
      EXPECT_LE(counts.longest_context, GetParam().max_context) << counts.variant;
      EXPECT_GT(counts.longest_context, GetParam().max_context > 256 ? 256 : 45) << counts.variant;
      EXPECT_GT(counts.continued_rows, 0) << counts.variant;
      EXPECT_GT(counts.state_rows, 0) << counts.variant;
      EXPECT_GT(counts.copied_rows, 0) << counts.variant;
      EXPECT_GT(counts.rows_after_truncation, 0) << counts.variant;
      EXPECT_GT(counts.attention_rows, 0) << counts.variant;
      EXPECT_EQ(counts.most_sequences, kMostSequences) << counts.variant;
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

// Heads that share blocks of 32 quantised numbers with their neighbours.
const test::TinyShape kHeadsOf80 = {
    .layers = 2, .width = 160, .heads = 4, .kv_heads = 2, .head_width = 80, .ffn_width = 96};
const test::TinyShape kHeadsOf16 = {
    .layers = 2, .width = 64, .heads = 6, .kv_heads = 3, .head_width = 16, .ffn_width = 96};

const test::TinyShape kSuper = {
    .layers = 2, .width = 256, .heads = 4, .kv_heads = 2, .head_width = 64, .ffn_width = 256};

TEST(Certify, StopsInTheMiddleOfACase) {
  const auto bytes = test::tiny_llama_gguf({}, 1, model::WeightType::kQ4_1);
  const model::Model model = model::parse_model(bytes, "tiny");
  const auto engine = make_engine(model, {.threads = 1});
  CertifyOptions options;
  options.variants = {engine->variant("scalar")};
  const Certificate certificate =
      certify(*engine, options, [](const Certificate& c) { return c.counts.front().passes < 1; });
  EXPECT_EQ(certificate.cases, 0);
  EXPECT_EQ(certificate.counts.front().passes, 1);
  EXPECT_EQ(certificate.difference.value_or("none"), "none");
}

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
                    Setting{model::WeightType::kQ6_K, Numerics::kInt8, kSuper},
                    Setting{model::WeightType::kQ2_K, Numerics::kInt8, kSuper},
                    Setting{model::WeightType::kQ3_K, Numerics::kInt8, kSuper},
                    Setting{model::WeightType::kIQ4_NL, Numerics::kInt8, kGrouped},
                    Setting{model::WeightType::kIQ4_XS, Numerics::kInt8, kSuper},
                    Setting{model::WeightType::kMXFP4, Numerics::kInt8, kGrouped}));

INSTANTIATE_TEST_SUITE_P(
    HeadWidths, TinyModels,
    testing::Values(Setting{model::WeightType::kF32, Numerics::kF32, kHeadsOf80},
                    Setting{model::WeightType::kBF16, Numerics::kBf16, kHeadsOf16},
                    Setting{model::WeightType::kQ8_0, Numerics::kInt8, kHeadsOf80},
                    Setting{model::WeightType::kQ4_0, Numerics::kInt8, kHeadsOf16, {17, 0}}));

// Windows that end among the committed tokens, within a tree, and at the row itself.
INSTANTIATE_TEST_SUITE_P(
    Windows, TinyModels,
    testing::Values(Setting{model::WeightType::kF32, Numerics::kF32, kGrouped, {40, 3}},
                    Setting{model::WeightType::kQ4_0, Numerics::kInt8, kGrouped, {17, 0}},
                    Setting{model::WeightType::kBF16, Numerics::kBf16, kWide, {1, 16, 5}}));

// Texts, trees and windows that cross from one split of attention to the next, at 256 and 512 tokens.
INSTANTIATE_TEST_SUITE_P(
    Splits, TinyModels,
    testing::Values(
        Setting{model::WeightType::kQ4_1, Numerics::kInt8, kGrouped, {}, {}, 300},
        Setting{model::WeightType::kQ4_0, Numerics::kInt8, kHeadsOf16, {260, 20}, {}, 300},
        Setting{model::WeightType::kQ8_0, Numerics::kInt8, kHeadsOf80, {}, KvType::kQ8_0, 320},
        Setting{model::WeightType::kQ8_0, Numerics::kInt8, kHeadsOf80, {}, KvType::kF32, 400}));

// Keys and values of the other type than is usual for the numerics.
INSTANTIATE_TEST_SUITE_P(
    KeysAndValues, TinyModels,
    testing::Values(
        Setting{model::WeightType::kQ4_1, Numerics::kInt8, kGrouped, {}, KvType::kF32},
        Setting{model::WeightType::kQ4_1, Numerics::kF32, kWide, {}, KvType::kF16},
        Setting{model::WeightType::kQ4_0, Numerics::kInt8, kWide, {}, KvType::kQ8_0},
        Setting{model::WeightType::kF32, Numerics::kF32, kHeadsOf80, {17, 0}, KvType::kQ8_0},
        Setting{model::WeightType::kBF16, Numerics::kBf16, kHeadsOf16, {}, KvType::kQ8_0}));

class Folders : public testing::TestWithParam<const char*> {};

TEST_P(Folders, GiveTheSameBitsInEveryPass) {
  const std::string path = test::source_path("tests/golden/hf/");
  const model::Model model = model::load_model(path + GetParam());
  EXPECT_EQ(certify_model(model, Numerics::kAuto, 1).difference.value_or("none"), "none");
  EXPECT_EQ(certify_model(model, Numerics::kAuto, 2, true).difference.value_or("none"), "none");
}

INSTANTIATE_TEST_SUITE_P(, Folders,
                         testing::Values("mistral_window", "qwen2_window", "phi3", "phi3_partial",
                                         "phi3_longrope", "opt", "bloom_three_heads", "gpt_bigcode",
                                         "phi3_heads_of_80", "opt_heads_of_80", "bloom_heads_of_16",
                                         "gemma2", "gemma3", "granite", "smollm3", "qwen2_yarn",
                                         "mixtral", "qwen3_moe", "qwen3_moe_shares", "gpt_oss",
                                         "gpt_oss_mxfp4"),
                         [](const auto& folder) { return std::string(folder.param); });

/// Kernels of which one is wrong, if its weights begin with `planted_at`.
struct Fault {
  const char* name;
  void (*plant)(Kernels& kernels, const model::Model& model);
  const char* difference;  // as the certificate names it
};

float planted_at;  // the first weight of the norm that goes wrong

void plant_in_norm(Kernels& kernels, const model::Weight& norm) {
  std::vector<float> weights(static_cast<std::size_t>(norm.columns));
  norm.read_row(0, weights.data());
  planted_at = weights[0];
  kernels.rms_norm = [](const float* x, const float* weight, int n, float epsilon, float* out) {
    scalar::kKernels.rms_norm(x, weight, n, epsilon, out);
    if (weight[0] == planted_at) out[0] += 1;
  };
}

const Fault kFaults[] = {
    {"NormBeforeAttention",
     [](Kernels& k, const model::Model& m) { plant_in_norm(k, m.layers[1].attn_norm); },
     "the keys of layer 2, token 0 of sequence 0, row 0 of "},
    {"NormBeforeFeedForward",
     [](Kernels& k, const model::Model& m) { plant_in_norm(k, m.layers[1].ffn_norm); },
     "the output of layer 2, "},
    {"FinalNorm", [](Kernels& k, const model::Model& m) { plant_in_norm(k, m.final_norm); },
     "the state after the final norm, "},
    {"Values",
     [](Kernels& k, const model::Model&) {
       k.store_kv_f32 = [](const float* key, const float* value, int width, int slot, float* keys,
                           float* values) {
         const float most = scalar::kKernels.store_kv_f32(key, value, width, slot, keys, values);
         values[slot * width] += 1;
         return most;
       };
     },
     "the values of layer 1, "},
    {"ArgMaxOfAttention",
     [](Kernels& k, const model::Model&) {
       k.attend_f32 = [](const Attention<float>& a) {
         scalar::kKernels.attend_f32(a);
         if (a.queries[0].best_out != nullptr) ++*a.queries[0].best_out;
       };
     },
     "the attention of layer 1, "},
    {"SumsOfAttention",
     [](Kernels& k, const model::Model&) {
       k.attend_f32 = [](const Attention<float>& a) {
         scalar::kKernels.attend_f32(a);
         a.queries[0].out[0] += 1;
       };
     },
     "the output of layer 1, "},
    {"ProductOfSeveralRows",
     [](Kernels& k, const model::Model&) {
       k.products[static_cast<int>(Packing::kF32)] = [](const Product& a) {
         scalar::kKernels.product(Packing::kF32, a);
         if (a.rows > 1) a.out[a.first_panel * 16] += 1;
       };
     },
     "the keys of layer 1, "},
    {"AttentionOfCommittedRows",
     [](Kernels& k, const model::Model&) {
       k.weigh_keys_f32 = [](const cpu::KeyWeights<float>& a) {
         scalar::kKernels.weigh_keys_f32(a);
         a.out[a.count - 1] += 1;
       };
     },
     "the attention weights of layer 1 after the commit, token "},
    {"SumsOfScores",
     [](Kernels& k, const model::Model&) {
       k.score.exp_sums = [](const float* logits, int n, float largest, const Token* left_out,
                             int count) {
         engine::ExpSums sums =
             scalar::kKernels.score.exp_sums(logits, n, largest, left_out, count);
         sums.exp *= 1.0 + 1e-6;
         return sums;
       };
     },
     "the scores of the logits, "},
    {"Logits",
     [](Kernels& k, const model::Model&) {
       k.products[static_cast<int>(Packing::kF32)] = [](const Product& a) {
         scalar::kKernels.product(Packing::kF32, a);
         if (a.first_panel == 0 && a.last_panel > 16) a.out[0] += 1;  // the head alone is so high
       };
     },
     "the logits, "},
};

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, AreNamedByOperationAndLayer) {
  const auto bytes = test::tiny_llama_gguf(kGrouped, 1, model::WeightType::kF32);
  const model::Model model = model::parse_model(bytes, "tiny");
  Kernels wrong = scalar::kKernels;
  GetParam().plant(wrong, model);
  CertifyOptions options;
  const cpu::CpuEngine engine(model,
                              {.numerics = Numerics::kF32, .isa = Isa::kScalar, .threads = 1});
  options.variants = {{"wrong", [&](int threads) {
                         return std::make_unique<cpu::CpuEngine>(engine, threads, wrong);
                       }}};
  options.threads = {1};
  const std::string found = certify_engine(engine, options).difference.value_or("none");
  EXPECT_EQ(found.rfind(GetParam().difference, 0), 0u) << found;
}

INSTANTIATE_TEST_SUITE_P(, Faults, testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

}  // namespace
}  // namespace outrider::certify
