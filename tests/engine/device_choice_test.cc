#include "runtime/engine/device_choice.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/engine/cuda/cuda_engine.h"
#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/emulated/emulated_kernels.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/engine/machine.h"
#include "runtime/engine/model_too_large.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/source_path.h"
#include "tests/support/tiny_engine.h"
#include "tests/support/tiny_llama.h"

namespace outrider::engine {
namespace {

using outrider::test::expect_input_error;
using outrider::test::TinyEngine;
using Kind = DeviceChoice::Kind;

TEST(DeviceChoice, IsReadByName) {
  EXPECT_EQ(device_named("auto"), DeviceChoice{Kind::kAuto});
  EXPECT_EQ(device_named("cpu"), DeviceChoice{Kind::kCpu});
  EXPECT_EQ(device_named("cuda"), (DeviceChoice{Kind::kCuda, 0}));
  EXPECT_EQ(device_named("cuda:7"), (DeviceChoice{Kind::kCuda, 7}));
  EXPECT_EQ(device_named("cuda-emulated"), DeviceChoice{Kind::kCudaEmulated});
  for (const char* text : {"", "gpu", "CUDA", "cuda:", "cuda:-1", "cuda:x", "cuda:1x", "cuda:99999",
                           "cuda:99999999999999999999", "cuda0", "cpu:0"})
    EXPECT_EQ(device_named(text), std::nullopt) << text;
}

TEST(DeviceChoice, IsWrittenAsItIsRead) {
  for (const char* text : {"auto", "cpu", "cuda:0", "cuda:12", "cuda-emulated"})
    EXPECT_EQ(device_named(text)->text(), text);
}

TEST(Place, OfAProcessorNamesTheMachineAndTheInstructionSet) {
  const TinyEngine tiny(model::WeightType::kQ4_1, 1, 1);
  const auto engine =
      make_engine(tiny.model, {.device = {Kind::kCpu}, .isa = Isa::kScalar, .threads = 1});
  EXPECT_EQ(engine->place(), (Place{Place::Kind::kProcessor, machine_name(), "scalar"}));
  EXPECT_STREQ(engine->place().device(), "cpu");
  EXPECT_EQ(engine->with_workers(2)->place(), engine->place());
  EXPECT_STREQ((Place{Place::Kind::kGpu, "a card", "sm_90"}.device()), "cuda");
}

TEST(DeviceChoice, IsTheProcessorWhereThreadsOrInstructionsAreGiven) {
  const TinyEngine tiny(model::WeightType::kQ4_1, 1, 1);
  for (const EngineOptions& options :
       {EngineOptions{.threads = 1}, EngineOptions{.isa = Isa::kScalar}})
    EXPECT_EQ(make_engine(tiny.model, options)->place().kind, Place::Kind::kProcessor);
}

TEST(DeviceChoice, WithoutACardIsRefusedWithTheCure) {
  if (cuda::why_not().empty()) GTEST_SKIP() << "there is a card";
  const TinyEngine tiny(model::WeightType::kQ4_1, 1, 1);
  EXPECT_EQ(cuda::device_count(), 0);
  EXPECT_EQ(make_engine(tiny.model, {})->place().kind, Place::Kind::kProcessor);
  expect_input_error(
      [&] {
        make_engine(tiny.model, {.device = {Kind::kCuda, 3}});
      },
      "--device cuda:3: " + cuda::why_not());
  const bool has_engine = cuda::why_not().find("this build") == std::string::npos;
  expect_input_error([&] { make_engine(tiny.model, {.device = {Kind::kCuda}}); },
                     has_engine ? "nvidia-smi" : "scripts/build cuda");
}

TEST(DeviceChoice, OfAGpuTakesNoInstructionsOfAProcessor) {
  const TinyEngine tiny(model::WeightType::kQ4_1, 1, 1);
  for (const Kind kind : {Kind::kCuda, Kind::kCudaEmulated})
    expect_input_error([&] { make_engine(tiny.model, {.device = {kind}, .isa = Isa::kAvx2}); },
                       "--isa: expected auto with --device cuda");
}

TEST(ModelTooLarge, NamesBothFigures) {
  expect_input_error(
      [] {
        throw ModelTooLarge("big.gguf", {15'060'000'000, 1'000'000'000}, "NVIDIA T4",
                            15'204'000'000);
      },
      "big.gguf: needs 16.06 GB of the card's memory, 15.06 GB for its weights and 1.00 GB for "
      "texts, and NVIDIA T4 has 15.20 GB free; expected");
}

/// An engine on an emulated GPU of so much memory.
std::unique_ptr<Engine> on_gpu_of(std::int64_t bytes, const model::Model& model,
                                  const EngineOptions& options) {
  auto gpu = std::make_shared<cuda::Gpu>();
  gpu->device = cuda::emulated::make_emulated_device({.memory_bytes = bytes});
  gpu->kernels = cuda::emulated::make_kernels(*gpu->device);
  return std::make_unique<cuda::GpuEngine>(gpu, model, options);
}

TEST(ModelTooLarge, CountsTheTextsToo) {
  const TinyEngine tiny(model::WeightType::kF32, 2, 1);
  constexpr std::int64_t kLarge = std::int64_t{1} << 30;
  const auto engine = on_gpu_of(kLarge, tiny.model, {});
  const std::int64_t weights = engine->weight_bytes();
  const std::int64_t cache = engine->cache_bytes(tiny.model.config.context);
  expect_input_error([&] { on_gpu_of(weights + cache, tiny.model, {}); }, "GB for texts");
  // A shorter context needs less: these are enough for its keys, values and passes.
  const std::int64_t short_cache = engine->cache_bytes(8);
  ASSERT_LT(short_cache, cache);
  EXPECT_NO_THROW(on_gpu_of(weights + cache, tiny.model, {.cache_tokens = 8}));
}

TEST(DeviceChoice, OfAModelBesideOneOnAGpuIsTheSame) {
  const TinyEngine tiny(model::WeightType::kF32, 1, 1);
  const auto engine = make_engine(tiny.model, {.device = {Kind::kCudaEmulated}});
  ASSERT_GT(engine->workers(), 1);
  EXPECT_EQ(engine->beside(tiny.model, {})->workers(), engine->workers());
  EXPECT_EQ(engine->beside(tiny.model, {.threads = engine->workers()})->workers(),
            engine->workers());
  EXPECT_EQ(engine->beside(tiny.model, {.threads = 1})->workers(), 1);
  const auto one = make_engine(tiny.model, {.device = {Kind::kCudaEmulated}, .threads = 1});
  EXPECT_EQ(one->beside(tiny.model, {})->workers(), 1);
  EXPECT_THROW(engine->beside(tiny.model, {.threads = engine->workers() + 1}), std::logic_error);
  expect_input_error([&] { engine->beside(tiny.model, {.isa = Isa::kScalar}); },
                     "--isa: expected auto beside a model on emulated GPU");
}

TEST(Place, SaysWhatItsWorkersAre) {
  EXPECT_EQ((Place{Place::Kind::kGpu, "a card", "sm_90"}.workers_text(132)), "132 multiprocessors");
  EXPECT_EQ((Place{Place::Kind::kProcessor, "a machine", "avx2"}.workers_text(2)), "2 threads");
}

TEST(MakeEngine, RefusesOnAGpuWhatItsKernelsDoNotHave) {
  const EngineOptions on_gpu{.device = {Kind::kCudaEmulated}};
  const auto refused = [&](const model::Model& model, const char* part) {
    expect_input_error([&] { make_engine(model, on_gpu); }, part,
                       "which is not supported on a GPU; use --device cpu");
  };
  const std::string folders = test::source_path("tests/golden/hf/");
  refused(model::load_model(folders + "gemma2"), "gemma2: has norms after attention");
  refused(model::load_model(folders + "smollm3"), "smollm3: has layers without positions");
  refused(model::load_model(folders + "granite"), "granite: has scaled layers");
  refused(model::load_model(folders + "mixtral"), "mixtral: has experts");
  refused(model::load_model(folders + "qwen3_moe"), "qwen3_moe: has experts");
  refused(model::load_model(folders + "gpt_oss"), "gpt_oss: has experts");
  for (const auto& [type, name] :
       {std::pair{model::WeightType::kQ2_K, "has weights of type Q2_K"},
        std::pair{model::WeightType::kIQ4_XS, "has weights of type IQ4_XS"},
        std::pair{model::WeightType::kMXFP4, "has weights of type MXFP4"}}) {
    const auto bytes =
        test::tiny_llama_gguf({.width = 256, .head_width = 64, .ffn_width = 256}, 1, type);
    refused(model::parse_model(bytes, "tiny"), name);
  }
}

}  // namespace
}  // namespace outrider::engine
