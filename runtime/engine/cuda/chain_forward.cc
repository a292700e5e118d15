// The passes of CudaForward over a chain, one row after the other.

#include <utility>

#include "runtime/engine/cuda/cuda_forward.h"

namespace outrider::engine::cuda {

const float* CudaForward::begin_chain(Pass& pass) {
  prepare(pass);
  gpu_->device->copy_to(inputs_.device.data(), inputs_.host.span().data(), inputs_.bytes);
  first_of_chain_ = {inputs_.states, inputs_.angles, inputs_.rows};
  return logits_->data();
}

float* CudaForward::chain_state(int row) const {
  return device_at<float>(first_of_chain_.states) +
         static_cast<std::size_t>(row) * static_cast<std::size_t>(config_.width);
}

const CudaLogits& CudaForward::launch_of_chain(int row) {
  const auto number = static_cast<std::size_t>(row);
  const auto floats = [&](int width) {
    return number * static_cast<std::size_t>(width) * sizeof(float);
  };
  inputs_.states = first_of_chain_.states + floats(config_.width);
  inputs_.angles = first_of_chain_.angles + floats(config_.rotary_width);
  inputs_.rows = first_of_chain_.rows + number * sizeof(PassRow);
  rows_ = 1;
  logit_rows_.assign(1, 0);
  launch();
  return *logits_;
}

void CudaForward::end_chain(Pass& pass) {
  gpu_->device->synchronise();
  pass.logits.leave(1, static_cast<int>(model_.head.rows), std::move(logits_));
}

}  // namespace outrider::engine::cuda
