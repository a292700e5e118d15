#include "runtime/engine/cuda/device.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/gpu.h"
#include "tests/support/expect_input_error.h"

namespace outrider::engine::cuda::emulated {
namespace {

__global__ void add_each(int* x, const int* y, int count, int factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) x[i] += factor * y[i];
}

std::vector<int> ascending(int count) {
  std::vector<int> x(static_cast<std::size_t>(count));
  std::iota(x.begin(), x.end(), 1);
  return x;
}

TEST(Device, ResultsArriveWithTheNextSynchronise) {
  const auto device = make_emulated_device({});
  const auto x = ascending(100);
  DeviceBuffer<int> a(*device, x);
  DeviceBuffer<int> b(*device, x.size());
  device->copy_within(b.data(), a.data(), 400);
  LAUNCH(add_each, 2, 64, 0, device->stream(), a.data(), b.data(), 100, 2);
  std::vector<int> found(100, 7);
  a.copy_from(found);
  EXPECT_EQ(found[4], static_cast<int>(0xcdcdcdcd)) << "not there yet";
  // What is done after the copy does not change what it brings.
  a.fill(0);
  device->synchronise();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], 3 * (i + 1));
}

TEST(Device, AGraphDoesAgainWhatWasRecordedWithItsArguments) {
  const auto device = make_emulated_device({});
  const auto x = ascending(50);
  DeviceBuffer<int> a(*device, x), b(*device, x);
  HostBuffer<int> host(*device, 50);
  int factor = 10;
  device->begin_capture();
  LAUNCH(add_each, 1, 64, 0, device->stream(), a.data(), b.data(), 50, factor);
  a.copy_from(host.span());
  const auto graph = device->end_capture();
  factor += 5;
  a.copy_from(host.span());
  device->synchronise();
  EXPECT_EQ(host[4], 5) << "recorded work is not done";
  for (int turn = 1; turn <= 3; ++turn) {
    device->replay(*graph);
    device->synchronise();
    EXPECT_EQ(host[4], 5 + turn * 50) << "its factor is 10, not " << factor;
  }
}

TEST(Device, WhileWorkIsCapturedNothingIsAllocatedOrWaitedFor) {
  const auto device = make_emulated_device({});
  EXPECT_THROW(device->end_capture(), std::logic_error);
  device->begin_capture();
  EXPECT_THROW(device->allocate(4), std::logic_error);
  EXPECT_THROW(device->synchronise(), std::logic_error);
  EXPECT_THROW(device->begin_capture(), std::logic_error);
  const auto graph = device->end_capture();
  device->replay(*graph);
}

TEST(Device, RefusesWhatItHasNoMemoryForWithBothFigures) {
  const auto device = make_emulated_device({.memory_bytes = 1000});
  DeviceBuffer<int> first(*device, 100);
  EXPECT_EQ(device->memory().free_bytes, 600);
  EXPECT_EQ(device->memory().total_bytes, 1000);
  test::expect_input_error([&] { DeviceBuffer<int>(*device, 151); },
                           "expected 604 bytes of free memory, found 600");
  first = DeviceBuffer<int>(*device, 150);
  EXPECT_EQ(device->memory().free_bytes, 400) << "what it held before is free again";
  DeviceBuffer<int> other = std::move(first);
  EXPECT_EQ(other.size(), 150u);
  EXPECT_EQ(device->memory().free_bytes, 400);
}

TEST(Device, CopiesStayWithinWhatWasAllocated) {
  const auto device = make_emulated_device({});
  const auto x = ascending(11);
  DeviceBuffer<int> a(*device, 10);
  EXPECT_THROW(a.copy_to(x), std::logic_error);
  EXPECT_THROW(a.copy_to(std::span(x).first(2), 9), std::logic_error);
  EXPECT_NO_THROW(a.copy_to(std::span(x).first(2), 8));
  EXPECT_THROW(device->copy_to(a.data(), x.data(), 44), std::logic_error);
  EXPECT_THROW(device->fill(a.data() - 1, 0, 4), std::logic_error);
  EXPECT_THROW(device->copy_within(a.data(), x.data(), 4), std::logic_error)
      << "the host's memory is not the device's";
}

}  // namespace
}  // namespace outrider::engine::cuda::emulated
