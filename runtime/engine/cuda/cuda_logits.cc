#include "runtime/engine/cuda/cuda_logits.h"

#include <algorithm>

namespace outrider::engine::cuda {

void CudaLogits::begin(int rows, std::size_t stride) {
  rows_ = static_cast<std::size_t>(rows);
  stride_ = stride;
  is_on_host_ = false;
  const std::size_t size = rows_ * stride;
  if (logits_.size() < size) logits_ = {*gpu_->device, size + size / 2};
}

void CudaLogits::fetch(int row, std::span<float> to) const {
  const std::lock_guard guard(lock_);
  if (!is_on_host_) {
    const std::size_t size = rows_ * stride_;
    if (host_.span().size() < size) host_ = {*gpu_->device, logits_.size()};
    gpu_->device->copy_from(host_.span().data(), logits_.data(), size * sizeof(float));
    gpu_->device->synchronise();
    is_on_host_ = true;
  }
  std::copy_n(host_.span().data() + static_cast<std::size_t>(row) * stride_, to.size(), to.data());
}

float CudaLogits::fetch_one(int row, int index) const {
  const std::lock_guard guard(lock_);
  const std::size_t at = static_cast<std::size_t>(row) * stride_ + static_cast<std::size_t>(index);
  if (is_on_host_) return host_[at];
  if (one_.span().empty()) one_ = {*gpu_->device, 1};
  gpu_->device->copy_from(one_.span().data(), logits_.data() + at, sizeof(float));
  gpu_->device->synchronise();
  return one_[0];
}

}  // namespace outrider::engine::cuda
