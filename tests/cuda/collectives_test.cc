#include "tests/cuda/collectives.cuh"

#include <gtest/gtest.h>

#include "runtime/engine/cuda/emulated/emulated_device.h"

namespace outrider::engine::cuda::emulated {
namespace {

TEST(Collectives, DoWhatTheirDefinitionsSay) {
  const auto device = make_emulated_device({});
  EXPECT_EQ(Collectives(*device).run(), std::vector<std::string>());
}

TEST(Collectives, DoTheSameInEveryOrderAndOnEveryNumberOfOsThreads) {
  for (const int os_threads : {1, 3})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto device = make_emulated_device({.os_threads = os_threads, .seed = seed});
      EXPECT_EQ(Collectives(*device).run(), std::vector<std::string>())
          << os_threads << " threads, seed " << seed;
    }
}

}  // namespace
}  // namespace outrider::engine::cuda::emulated
