// Keys and values beyond the numbers of the cache.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/engine.h"
#include "tests/support/tiny_llama.h"

namespace outrider::engine {
namespace {

/// Computes two tokens and commits them. @return the error; empty: none
std::string error_of(const std::vector<std::byte>& bytes, const EngineOptions& options) {
  const model::Model model = model::parse_model(bytes, "tiny");
  const auto engine = make_engine(model, options);
  const auto cache = engine->make_cache(8);
  Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, std::vector<Token>{5, 6}, true);
  engine->forward(pass);
  try {
    cache->commit_first(2);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

// They are kept as floats where nobody asks for halves.
TEST(KvBound, IsForeseenFromTheWeights) {
  const auto name_of = [](const std::vector<std::byte>& bytes, const EngineOptions& options) {
    return make_engine(model::parse_model(bytes, "tiny"), options)->numerics_name();
  };
  for (const char* tensor : {"blk.0.attn_k.weight", "blk.1.attn_v.weight"}) {
    const auto bytes = test::tiny_llama_with_large(tensor);
    EXPECT_EQ(name_of(bytes, {.threads = 1, .quantise = true}), "int8 (q8_0) kv f32") << tensor;
    EXPECT_EQ(error_of(bytes, {.threads = 1, .quantise = true}), "") << tensor;
    EXPECT_EQ(name_of(bytes, {.threads = 1, .quantise = true, .kv = KvType::kF16}), "int8 (q8_0)");
  }
  EXPECT_EQ(
      name_of(test::tiny_llama_with_large("blk.0.attn_q.weight"), {.threads = 1, .quantise = true}),
      "int8 (q8_0)");
}

TEST(KvBound, EndsAtTheRowThatTheCacheCannotHold) {
  for (const char* tensor : {"blk.0.attn_k.weight", "blk.1.attn_v.weight"}) {
    const auto bytes = test::tiny_llama_with_large(tensor);
    for (const int threads : {1, 2}) {
      const std::string error = error_of(bytes, {.threads = threads, .kv = KvType::kF16});
      EXPECT_NE(error.find("--kv f32"), std::string::npos) << tensor << error;
      EXPECT_EQ(error_of(bytes, {.threads = threads, .kv = KvType::kF32}), "");
      // Bad drafts are no error.
      EXPECT_EQ(error_of(bytes, {.threads = threads, .kv = KvType::kF16, .for_drafts = true}), "");
    }
  }
  const auto usual = test::tiny_llama_gguf({}, 3, model::WeightType::kF32);
  EXPECT_EQ(error_of(usual, {.kv = KvType::kF16}), "");
}

TEST(KvBound, IsThatOfTheProcessorOnAGpu) {
  const DeviceChoice gpu = {DeviceChoice::Kind::kCudaEmulated};
  for (const char* tensor : {"blk.0.attn_k.weight", "blk.1.attn_v.weight"}) {
    const auto bytes = test::tiny_llama_with_large(tensor);
    EXPECT_NE(error_of(bytes, {.device = gpu, .kv = KvType::kF16}), "") << tensor;
    for (const EngineOptions& options :
         {EngineOptions{.kv = KvType::kF16}, EngineOptions{.kv = KvType::kQ8_0},
          EngineOptions{.kv = KvType::kF32},
          EngineOptions{.kv = KvType::kF16, .for_drafts = true}}) {
      EngineOptions on_processor = options, on_gpu = options;
      on_processor.device = {DeviceChoice::Kind::kCpu};
      on_gpu.device = gpu;
      EXPECT_EQ(error_of(bytes, on_gpu), error_of(bytes, on_processor)) << tensor;
    }
  }
  const auto usual = test::tiny_llama_gguf({}, 3, model::WeightType::kF32);
  EXPECT_EQ(error_of(usual, {.device = gpu, .kv = KvType::kF16}), "");
}

TEST(KvBound, OfAGpuIsThatOfEachRow) {
  // Passes of the same form are replayed: what one of them found is forgotten by the next.
  const auto bytes = test::tiny_llama_with_large("blk.0.attn_k.weight");
  const model::Model large = model::parse_model(bytes, "tiny");
  const auto engine =
      make_engine(large, {.device = {DeviceChoice::Kind::kCudaEmulated}, .kv = KvType::kF16});
  for (int turn = 0; turn < 3; ++turn) {
    const auto cache = engine->make_cache(8);
    Pass pass;
    pass.sequences = {cache.get()};
    pass.rows = {{.token = 5}, {.token = 6}, {.token = 7}};
    // The norm makes of a state of zeros keys of zeros.
    const std::vector<float> zeros(static_cast<std::size_t>(large.config.width), 0.0f);
    const int of_large = turn;
    for (int row = 0; row < 3; ++row)
      if (row != of_large) pass.rows[static_cast<std::size_t>(row)].state = zeros.data();
    engine->forward(pass);
    for (int row = 0; row < 3; ++row) {
      const std::vector<int> alone = {row};
      if (row == of_large) {
        EXPECT_THROW(cache->commit(alone), InputError) << turn;
      }
    }
    const std::vector<int> alone = {of_large == 0 ? 1 : 0};
    EXPECT_NO_THROW(cache->commit(alone)) << turn;
  }
}

TEST(KvBound, IsComparedWithTheLargestMagnitudeOfAKeyAndItsValue) {
  std::vector<float> key(32, 1), value(32, -2);
  std::vector<Half> halves(16 * 32 * 2);
  std::vector<std::byte> quants(16 * 40 * 2);
  key[17] = -70000;
  value[31] = 80000;
  for (const Isa isa : cpu::available_isas()) {
    const cpu::Kernels& kernels = cpu::kernels_for(isa);
    const auto most = [&] {
      return kernels.store_kv(key.data(), value.data(), 32, 3, halves.data(), halves.data() + 512);
    };
    value[31] = 80000;
    EXPECT_EQ(most(), 80000);
    EXPECT_EQ(kernels.store_kv(key.data(), value.data(), 32, 3, quants.data(), quants.data() + 640),
              80000);
    value[31] = -2;
    EXPECT_EQ(most(), 70000) << kernels.name;
  }
}

}  // namespace
}  // namespace outrider::engine
