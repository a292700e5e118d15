#include "data/generate/batch_size.h"

#include <gtest/gtest.h>

#include <memory>

#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/emulated/emulated_kernels.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "tests/support/tiny_engine.h"

namespace outrider::data {
namespace {

namespace cuda = engine::cuda;

const model::Model& tiny_model() {
  static const test::TinyEngine tiny(model::WeightType::kQ4_1, 1, 1);
  return tiny.model;
}

std::unique_ptr<engine::Engine> on_card(std::int64_t bytes) {
  auto gpu = std::make_shared<cuda::Gpu>();
  gpu->device = cuda::emulated::make_emulated_device({.memory_bytes = bytes});
  gpu->kernels = cuda::emulated::make_kernels(*gpu->device);
  return std::make_unique<cuda::GpuEngine>(std::move(gpu), tiny_model(), engine::EngineOptions{});
}

TEST(ConversationsAtOnce, AreMoreOnAGpu) {
  const auto processor =
      engine::make_engine(tiny_model(), {.device = {engine::DeviceChoice::Kind::kCpu}});
  EXPECT_EQ(conversations_at_once(*processor, 100), 32);
  EXPECT_EQ(conversations_at_once(*processor, 1'000), 24) << "what a kill would lose";
  const auto card = on_card(std::int64_t{1} << 40);
  EXPECT_EQ(conversations_at_once(*card, 100), 512);
  EXPECT_EQ(conversations_at_once(*card, 1'000), 393) << "what a kill would lose";
}

TEST(ConversationsAtOnce, TakeHalfOfWhatIsFreeOnTheCard) {
  const auto card = on_card(64 << 20);
  const std::int64_t free = card->free_bytes_elsewhere().value(), each = card->cache_bytes(1'000);
  ASSERT_LT(free / 2 / each, 393);
  EXPECT_EQ(conversations_at_once(*card, 1'000), free / 2 / each);
  const auto cache = card->make_cache(10'000);
  EXPECT_EQ(conversations_at_once(*card, 1'000), card->free_bytes_elsewhere().value() / 2 / each);
  EXPECT_LT(card->free_bytes_elsewhere().value(), free);
  const std::int64_t long_one = 1'000 * free / each;
  EXPECT_EQ(conversations_at_once(*card, long_one), 1) << "one has to run";
}

}  // namespace
}  // namespace outrider::data
