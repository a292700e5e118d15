// The kernels of a GPU, run without one, find the bits of the processor.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/certify/certificate.h"
#include "runtime/certify/certificate_case.h"
#include "runtime/certify/row_bits.h"
#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/emulated/emulated_kernels.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/engine/machine.h"
#include "tests/support/default_model.h"
#include "tests/support/golden_models.h"
#include "tests/support/source_path.h"

namespace outrider::certify {
namespace {

namespace cuda = engine::cuda;
using engine::DeviceChoice;
using engine::Engine;
using engine::EngineOptions;
using engine::KvType;
using model::WeightType;
using test::GoldenModel;

/// @param multiprocessors  of the emulated card: the more there are, the more products are divided
std::unique_ptr<Engine> emulated(const model::Model& model, const EngineOptions& options = {},
                                 int multiprocessors = 4) {
  auto gpu = std::make_shared<cuda::Gpu>();
  gpu->device = cuda::emulated::make_emulated_device(
      {.os_threads = engine::default_threads(), .multiprocessors = multiprocessors});
  gpu->kernels = cuda::emulated::make_kernels(*gpu->device);
  return std::make_unique<cuda::GpuEngine>(std::move(gpu), model, options);
}

std::unique_ptr<Engine> processor(const model::Model& model, const EngineOptions& options = {}) {
  EngineOptions one_by_one = options;
  one_by_one.device.kind = DeviceChoice::Kind::kCpu;
  one_by_one.isa = engine::Isa::kScalar;
  one_by_one.threads = 1;
  return engine::make_engine(model, one_by_one);
}

/// Reads a text in passes of so many rows each.
void expect_equal_passes(Engine& one, Engine& other, const std::vector<int>& rows_of_passes) {
  const auto expected_cache = one.make_cache(64), cache = other.make_cache(64);
  engine::Pass expected, found;
  expected.sequences = {expected_cache.get()};
  found.sequences = {cache.get()};
  int token = 0;
  for (const int rows : rows_of_passes) {
    std::vector<Token> tokens;
    for (int i = 0; i < rows; ++i) tokens.push_back((7919 * token++ + 17) % one.config().vocab);
    for (engine::Pass* pass : {&expected, &found}) {
      pass->rows.clear();
      pass->add_chain(0, tokens, true);
    }
    one.forward(expected);
    other.forward(found);
    for (int i = 0; i < rows; ++i)
      EXPECT_TRUE(std::ranges::equal(expected.row_logits(i), found.row_logits(i)))
          << rows << " rows, row " << i;
    expected_cache->commit_first(rows);
    cache->commit_first(rows);
  }
}

std::string bits(const Engine& engine, int workers, int tokens) {
  return fmt::format("{:016x}", hash_of_fixed_text(*engine.with_workers(workers), tokens));
}

nlohmann::json expected_bits() {
  std::ifstream file(test::source_path("tests/golden/engine_bits.json"));
  return nlohmann::json::parse(file);
}

class GoldenBitsOnEmulatedGpu : public testing::TestWithParam<GoldenModel> {};

TEST_P(GoldenBitsOnEmulatedGpu, AreFound) {
  const GoldenModel& tiny = GetParam();
  const auto bytes = tiny.bytes();
  const model::Model model = tiny.parsed(bytes);
  const auto engine = emulated(model, {.quantise = tiny.quantise, .kv = tiny.kv});
  EXPECT_EQ(bits(*engine, 1, tiny.tokens), expected_bits()["tiny"].value(tiny.name(), "none"));
}

class ProductsAmongWarps : public testing::TestWithParam<GoldenModel> {};

TEST_P(ProductsAmongWarps, FindTheGoldenBits) {
  const GoldenModel& tiny = GetParam();
  const auto bytes = tiny.bytes();
  const model::Model model = tiny.parsed(bytes);
  const auto engine = emulated(model, {.quantise = tiny.quantise, .kv = tiny.kv}, 132);
  EXPECT_EQ(bits(*engine, 2, tiny.tokens), expected_bits()["tiny"].value(tiny.name(), "none"));
}

TEST(FolderOnEmulatedGpu, FindsTheGoldenBits) {
  const model::Model model = model::load_model(test::source_path("tests/golden/hf/qwen2_yarn"));
  const nlohmann::json golden = expected_bits()["folders"];
  for (const int workers : {1, 2}) {
    EXPECT_EQ(bits(*emulated(model), workers, GoldenModel::kShort), golden["qwen2_yarn"]);
    EXPECT_EQ(bits(*emulated(model, {.quantise = true}), workers, GoldenModel::kShort),
              golden["qwen2_yarn as q8_0"]);
  }
}

/// The model that is decoded by default, as GoldenBits has it on the processor.
class DefaultModelOnEmulatedGpu : public test::DefaultModel {
 protected:
  std::string found(engine::Numerics numerics, int tokens) const {
    return bits(*emulated(model_, {.numerics = numerics}), 1, tokens);
  }
};

TEST_F(DefaultModelOnEmulatedGpu, HasTheGoldenBitsOfInt8) {
  EXPECT_EQ(found(engine::Numerics::kInt8, GoldenModel::kShort), expected_bits()["int8"]);
}

TEST_F(DefaultModelOnEmulatedGpu, HasTheGoldenBitsOfFloats) {
  EXPECT_EQ(found(engine::Numerics::kF32, GoldenModel::kShort), expected_bits()["f32"]);
}

class EmulatedGpu : public testing::TestWithParam<GoldenModel> {
 protected:
  const GoldenModel& tiny_ = GetParam();
  std::vector<std::byte> bytes_ = tiny_.bytes();
  model::Model model_ = tiny_.parsed(bytes_);
  EngineOptions options_ = {.quantise = tiny_.quantise, .kv = tiny_.kv};
};

/// The certificate of one case, of sequences with texts, random trees and moved rows: logits, states, attention, keys and values.
/// Products are one warp's on a card of few multiprocessors, and divided among warps on one of many.
Certificate certificate_of_a_case(const model::Model& model, const EngineOptions& options,
                                  const CaseLimits& limits, std::uint64_t seed) {
  const auto expected = processor(model, options);
  const auto few = emulated(model, options, 4), many = emulated(model, options, 132);
  CertifyOptions certified;
  certified.variants = {{"whole products", [&](int) { return few->with_workers(1); }},
                        {"divided products", [&](int) { return many->with_workers(2); }}};
  certified.threads = {1};
  certified.max_context = limits.context;
  certified.max_rows = limits.rows;
  certified.seed = seed;
  return certify(*expected, certified, [](const Certificate& so_far) { return so_far.cases == 0; });
}

class EmulatedGpuTrees : public EmulatedGpu {};

TEST_P(EmulatedGpuTrees, HasTheProcessorsCertificate) {
  const bool is_long = tiny_.tokens > GoldenModel::kShort;
  model_.config.context = is_long ? 300 : 64;  // the fixed text is no longer
  const Certificate certificate =
      certificate_of_a_case(model_, options_, {is_long ? 280 : 40, 12}, is_long ? 35 : 11);
  EXPECT_EQ(certificate.difference, std::nullopt);
  for (const CertifyCounts& counts : certificate.counts) {
    EXPECT_GT(counts.rows, 20) << counts.variant;
    EXPECT_GT(counts.moved_rows, 0) << counts.variant;
    EXPECT_GT(counts.most_sequences, 1) << counts.variant;
    EXPECT_GT(counts.longest_context, is_long ? 256 : 20) << counts.variant;
  }
}

/// The first seed, none below `from`, whose first case has so many sequences.
std::uint64_t seed_of_sequences(int count, const CaseLimits& limits, int vocab,
                                std::uint64_t from = 1) {
  for (std::uint64_t seed = from;; ++seed) {
    Random random(seed);
    if (std::ssize(random_case(random, limits, vocab)) == count) return seed;
  }
}

class EmulatedGpuPackings : public EmulatedGpu {};

TEST_P(EmulatedGpuPackings, HaveTheProcessorsCertificateOfSeveralSeeds) {
  model_.config.context = 32;
  const CaseLimits limits = {18, 8};
  std::uint64_t seed = 0;
  for (const int sequences : {2, 3}) {
    seed = seed_of_sequences(sequences, limits, model_.config.vocab, seed + 1);
    const Certificate certificate = certificate_of_a_case(model_, options_, limits, seed);
    EXPECT_EQ(certificate.difference, std::nullopt) << seed;
    for (const CertifyCounts& counts : certificate.counts) {
      EXPECT_EQ(counts.most_sequences, sequences) << counts.variant;
      EXPECT_GT(counts.logits_rows, 0) << counts.variant;
    }
  }
}

TEST(SequencesOnEmulatedGpu, HaveTheProcessorsCertificateWhereAPassHas32) {
  const GoldenModel tiny{WeightType::kQ4_0};
  const auto bytes = tiny.bytes();
  model::Model model = tiny.parsed(bytes);
  model.config.context = 32;
  const CaseLimits limits = {18, 8};
  const Certificate certificate = certificate_of_a_case(
      model, {}, limits, seed_of_sequences(kMostSequences, limits, model.config.vocab));
  EXPECT_EQ(certificate.difference, std::nullopt);
  for (const CertifyCounts& counts : certificate.counts) {
    EXPECT_EQ(counts.most_sequences, 32) << counts.variant;
    EXPECT_GT(counts.rows, 100) << counts.variant;
    EXPECT_GT(counts.moved_rows, 0) << counts.variant;
  }
}

/// Passes of one row up to many: each number of rows has products of its own form.
TEST_P(EmulatedGpu, ReadsATextInPassesOfAnySize) {
  expect_equal_passes(*processor(model_, options_), *emulated(model_, options_), {1, 2, 3, 9, 17});
}

/// Two texts side by side, in passes whose rows make tiles of attention, which a split or the end of a text's rows cuts
/// short: all that a pass can be asked for.
/// @param passes  rows of each text
void expect_equal_prefills(Engine& one, Engine& other,
                           const std::vector<std::array<int, 2>>& passes) {
  struct Reader {
    explicit Reader(Engine& made_by) : engine(made_by) {
      for (auto& cache : caches) {
        cache = engine.make_cache(400);
        pass.sequences.push_back(cache.get());
      }
      pass.request = request_of_all(engine.config());
    }
    Engine& engine;
    std::array<std::unique_ptr<engine::KvCache>, 2> caches;
    engine::Pass pass;
  };
  Reader expected(one), found(other);
  std::array<int, 2> read = {};
  for (const auto& rows : passes) {
    for (Reader* reader : {&expected, &found}) {
      reader->pass.rows.clear();
      for (int text = 0; text < 2; ++text) {
        const auto at = static_cast<std::size_t>(text);
        std::vector<Token> tokens;
        for (int i = read[at]; i < read[at] + rows[at]; ++i)
          tokens.push_back((7919 * i + 17 + text) % one.config().vocab);
        reader->pass.add_chain(text, tokens, true);
      }
      reader->engine.forward(reader->pass);
    }
    for (int row = 0; row < rows[0] + rows[1]; ++row) {
      const int slot = row < rows[0] ? read[0] + row : read[1] + row - rows[0];
      EXPECT_EQ(first_difference(bits_of(expected.pass, row, slot, one.config()),
                                 bits_of(found.pass, row, slot, one.config())),
                "")
          << "row " << row << " of " << rows[0] << " and " << rows[1];
    }
    for (std::size_t text = 0; text < 2; ++text) {
      read[text] += rows[text];
      for (Reader* reader : {&expected, &found}) reader->caches[text]->commit_first(rows[text]);
    }
  }
}

TEST_P(EmulatedGpuTrees, ReadsPromptsInTiles) {
  model_.config.context = 400;
  expect_equal_prefills(*processor(model_, options_), *emulated(model_, options_),
                        {{67, 0}, {3, 70}, {190, 20}});
}

class FoldersOnEmulatedGpu : public testing::TestWithParam<const char*> {};

/// What tiny_llama_gguf lacks: biases, layer norms, learned positions, ALiBi, norms of heads, part of a head rotated.
TEST_P(FoldersOnEmulatedGpu, AreReadAsByTheProcessor) {
  const model::Model model =
      model::load_model(test::source_path(std::string("tests/golden/hf/") + GetParam()));
  for (const bool quantise : {false, true})
    expect_equal_passes(*processor(model, {.quantise = quantise}),
                        *emulated(model, {.quantise = quantise}), {11, 5});
}

/// Where each query head has keys of its own and ALiBi, where all share one, and where heads are normed.
TEST(PromptsOfFoldersOnEmulatedGpu, AreReadInTiles) {
  for (const char* const folder : {"bloom", "gpt_bigcode", "qwen3"}) {
    SCOPED_TRACE(folder);
    const model::Model model =
        model::load_model(test::source_path(std::string("tests/golden/hf/") + folder));
    expect_equal_prefills(*processor(model), *emulated(model), {{50, 30}, {40, 40}});
  }
}

std::string test_name(const testing::TestParamInfo<GoldenModel>& golden) {
  std::string name = golden.param.name();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(AllTypes, GoldenBitsOnEmulatedGpu,
                         testing::ValuesIn(test::golden_models()), test_name);
INSTANTIATE_TEST_SUITE_P(LongTexts, GoldenBitsOnEmulatedGpu,
                         testing::ValuesIn(test::golden_models_of_long_texts()), test_name);
INSTANTIATE_TEST_SUITE_P(AllTypes, EmulatedGpu, testing::ValuesIn(test::golden_models()),
                         test_name);
INSTANTIATE_TEST_SUITE_P(, FoldersOnEmulatedGpu,
                         testing::Values("bloom", "bloom_three_heads", "bloom_heads_of_16",
                                         "gpt_bigcode", "gpt_bigcode_gelu", "llama3_scaled",
                                         "mistral_window", "opt", "opt_heads_of_80", "opt_untied",
                                         "phi3_heads_of_80", "phi3_longrope", "phi3_partial",
                                         "phi3_partial_longrope", "qwen2", "qwen2_window",
                                         "qwen2_yarn", "qwen3", "qwen3_heads_of_80"),
                         [](const auto& folder) { return std::string(folder.param); });
// A packing of each kind: floats have no form of their own.
INSTANTIATE_TEST_SUITE_P(SomeTypes, ProductsAmongWarps,
                         testing::Values(GoldenModel{WeightType::kQ4_1},
                                         GoldenModel{WeightType::kQ5_0},
                                         GoldenModel{WeightType::kQ8_0},
                                         GoldenModel{WeightType::kQ4_K},
                                         GoldenModel{WeightType::kQ6_K}),
                         test_name);
INSTANTIATE_TEST_SUITE_P(
    SomeTypes, EmulatedGpuTrees,
    testing::Values(GoldenModel{WeightType::kQ4_1}, GoldenModel{WeightType::kQ4_K},
                    GoldenModel{.type = WeightType::kBF16, .head_width = 48},
                    GoldenModel{.type = WeightType::kF32, .head_width = 80, .kv = KvType::kQ8_0},
                    GoldenModel{.type = WeightType::kQ6_K, .tokens = 600, .windows = {260, 40}}),
    test_name);
// Those of blocks that the trees above leave out.
INSTANTIATE_TEST_SUITE_P(
    OtherTypes, EmulatedGpuPackings,
    testing::Values(GoldenModel{WeightType::kQ4_0}, GoldenModel{WeightType::kQ5_0},
                    GoldenModel{WeightType::kQ5_1}, GoldenModel{WeightType::kQ8_0},
                    GoldenModel{WeightType::kQ3_K}, GoldenModel{WeightType::kQ5_K},
                    GoldenModel{WeightType::kIQ4_NL}),
    test_name);

}  // namespace
}  // namespace outrider::certify
