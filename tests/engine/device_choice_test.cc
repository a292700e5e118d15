#include "runtime/engine/device_choice.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/engine/cuda/cuda_engine.h"
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
  expect_input_error([&] { make_engine(tiny.model, {.device = {Kind::kCuda}}); }, "scripts/");
}

TEST(DeviceChoice, OfAGpuTakesNoInstructionsOfAProcessor) {
  const TinyEngine tiny(model::WeightType::kQ4_1, 1, 1);
  for (const Kind kind : {Kind::kCuda, Kind::kCudaEmulated})
    expect_input_error([&] { make_engine(tiny.model, {.device = {kind}, .isa = Isa::kAvx2}); },
                       "--isa: expected auto with --device cuda");
}

TEST(ModelTooLarge, NamesBothFigures) {
  expect_input_error(
      [] { throw ModelTooLarge("big.gguf", 16'060'000'000, "NVIDIA T4", 15'204'000'000); },
      "big.gguf: needs 16.06 GB of the card's memory, and NVIDIA T4 has 15.20 GB free; expected");
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
  const auto bytes = test::tiny_llama_gguf({.width = 256, .head_width = 64, .ffn_width = 256}, 1,
                                           model::WeightType::kQ2_K);
  refused(model::parse_model(bytes, "tiny"), "has weights of type Q2_K");
}

}  // namespace
}  // namespace outrider::engine
