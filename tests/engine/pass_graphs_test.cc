// The launches of passes, recorded and replayed on the emulated device.

#include "runtime/engine/cuda/pass_graphs.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "runtime/engine/cuda/emulated/emulated_device.h"

namespace outrider::engine::cuda {
namespace {

TEST(PassGraphs, AnErrorWhileLaunchesAreRecordedLeavesTheDeviceAtWork) {
  const auto device = emulated::make_emulated_device({});
  DeviceBuffer<std::uint8_t> there(*device, 4);
  PassGraphs graphs(*device);
  const PassForm form = {.rows = 1};
  std::vector<std::uint8_t> found(4);
  const auto launch = [&](std::uint8_t byte) {
    graphs.run(form, [&] {
      there.fill(byte);
      if (byte == 0) throw std::runtime_error("a launch failed");
    });
  };
  const auto bytes = [&] {
    there.copy_from(found);
    device->synchronise();
    return found;
  };
  launch(1);
  EXPECT_EQ(bytes(), std::vector<std::uint8_t>(4, 1));
  EXPECT_THROW(launch(0), std::runtime_error) << "the second time it is recorded";
  EXPECT_EQ(bytes(), std::vector<std::uint8_t>(4, 1)) << "what was recorded is not done";
  launch(2);
  EXPECT_EQ(bytes(), std::vector<std::uint8_t>(4, 2));
  launch(3);
  EXPECT_EQ(bytes(), std::vector<std::uint8_t>(4, 2)) << "what was recorded before is replayed";
}

}  // namespace
}  // namespace outrider::engine::cuda
