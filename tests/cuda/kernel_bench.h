#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/emulated/emulated_kernels.h"

namespace outrider::engine::cuda::emulated {

using Bytes = std::vector<std::uint8_t>;

/// Of a pass.
constexpr int kRows = 5;

/// Words of which each half is a small number as a half, as is each float made of two, with either sign.
inline Bytes small_numbers(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  Bytes result(bytes);
  for (std::size_t i = 0; i + 1 < bytes; i += 2) {
    const auto half = static_cast<std::uint16_t>((random() & 0x83ffu) | 0x2c00u);
    std::memcpy(&result[i], &half, 2);
  }
  return result;
}

inline std::vector<float> floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> result(count);
  for (float& x : result) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 250.0f;
  return result;
}

/// A device, kernels, and what they have written.
class Bench {
 public:
  explicit Bench(const Options& options)
      : device_(make_emulated_device(options)), kernels_(make_kernels(*device_)) {}

  GpuKernels& kernels() { return *kernels_; }
  std::vector<Bytes> take_results() { return std::move(results_); }

  /// Memory of the device with a copy of these, which lasts as long as this.
  template <typename T>
  T* put(const std::vector<T>& values) {
    buffers_.emplace_back(*device_, values.size() * sizeof(T));
    device_->copy_to(buffers_.back().data(), values.data(), values.size() * sizeof(T));
    device_->synchronise();
    return reinterpret_cast<T*>(buffers_.back().data());
  }
  template <typename T>
  T* room(std::size_t count) {
    return put(std::vector<T>(count));
  }
  template <typename T>
  void keep(const T* values, std::size_t count) {
    results_.emplace_back(count * sizeof(T));
    device_->copy_from(results_.back().data(), values, count * sizeof(T));
    device_->synchronise();
  }

  /// Room for rows of this width, as floats and quantised.
  Operand operand(int rows, int width) {
    const auto stride = static_cast<std::size_t>((rows + 31) / 32 * 32);
    const auto blocks = static_cast<std::size_t>(width) / 32;
    return {room<float>(static_cast<std::size_t>(rows * width)),
            {room<std::int8_t>((blocks + 1) / 2 * stride * 64), room<BlockScales>(blocks * stride),
             room<BlockSums>(blocks * stride), static_cast<int>(stride)}};
  }
  void keep(const Operand& x, int rows, int width) {
    const auto stride = static_cast<std::size_t>(x.quantised.stride);
    const auto blocks = static_cast<std::size_t>(width) / 32;
    keep(x.floats, static_cast<std::size_t>(rows * width));
    keep(x.quantised.quants, (blocks + 1) / 2 * stride * 64);
    keep(x.quantised.scales, blocks * stride);
    keep(x.quantised.sums, blocks * stride);
  }
  /// Random rows, normalised, as a product takes them.
  Operand random_rows(int rows, int width) {
    const Operand x = operand(rows, width);
    kernels_->normalise({.x = put(floats(static_cast<std::size_t>(rows * width), 3)),
                         .row_numbers = nullptr,
                         .weight = put(floats(static_cast<std::size_t>(width), 4)),
                         .bias = nullptr,
                         .epsilon = 1e-5f,
                         .rows = rows,
                         .width = width,
                         .out = x});
    return x;
  }

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<GpuKernels> kernels_;
  std::vector<DeviceBuffer<std::uint8_t>> buffers_;
  std::vector<Bytes> results_;
};

/// That `work` gives the same results whatever the options. With more shared memory products have other forms.
template <typename Work>
void expect_one_result(const Work& work) {
  const auto results = [&](const Options& options) {
    Bench bench(options);
    work(bench);
    return bench.take_results();
  };
  const auto expected = results({});
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(results({.os_threads = 3, .seed = 11, .most_shared_bytes = 227 << 10}), expected);
}

}  // namespace outrider::engine::cuda::emulated
