#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "runtime/engine/cuda/gpu_kernels.h"
#include "runtime/engine/logits.h"

namespace outrider::engine::cuda {

/// The logits of one pass in a device's memory. The host gets all rows at once, when it first asks for one.
class CudaLogits final : public Logits::Elsewhere {
 public:
  explicit CudaLogits(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}

  /// Makes room for the rows of a pass, [rows, stride]; what was there is forgotten.
  void begin(int rows, std::size_t stride);
  bool is_of(const Gpu& gpu) const { return gpu_.get() == &gpu; }
  float* data() const { return logits_.data(); }
  std::size_t stride() const { return stride_; }

  void fetch(int row, std::span<float> to) const override;
  float fetch_one(int row, int index) const override;

 private:
  std::shared_ptr<Gpu> gpu_;
  std::size_t rows_ = 0;
  std::size_t stride_ = 0;
  DeviceBuffer<float> logits_;
  mutable std::mutex lock_;  // of what follows
  mutable HostBuffer<float> host_;
  mutable HostBuffer<float> one_;
  mutable bool is_on_host_ = false;
};

}  // namespace outrider::engine::cuda
