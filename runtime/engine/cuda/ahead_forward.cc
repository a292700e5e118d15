// The passes of CudaForward over rows that are drafted level by level.

#include <algorithm>
#include <utility>

#include "runtime/engine/cuda/cuda_forward.h"

namespace outrider::engine::cuda {

const float* CudaForward::begin_ahead(Pass& pass, const PathsAhead* paths) {
  prepare(pass, paths);
  if (paths != nullptr) {
    std::copy(paths->slots.begin(), paths->slots.end(), host_at<int>(inputs_.extra));
    for (int i = 0; i < rows_; ++i) {
      PassRow& row = host_at<PassRow>(inputs_.rows)[i];
      row.contiguous = pass.sequences.front()->length();
      row.first_extra =
          static_cast<int>(paths->at(i / paths->width)) + i % paths->width * paths->stride();
    }
  }
  gpu_->device->copy_to(inputs_.device.data(), inputs_.host.span().data(), inputs_.bytes);
  return logits_->data();
}

int CudaForward::ahead_state_width() const {
  return config_.state_inputs > 0 ? config_.state_inputs : config_.width;
}

float* CudaForward::ahead_states(int first_row) const {
  return device_at<float>(inputs_.states) +
         static_cast<std::ptrdiff_t>(first_row) * ahead_state_width();
}

const float* CudaForward::ahead_own(int first_row) const {
  const float* const states = taps_.states(kFinalNorm);
  return states == nullptr ? nullptr
                           : states + static_cast<std::ptrdiff_t>(first_row) * config_.width;
}

CudaRows CudaForward::launch_ahead(int first_row, int rows) {
  first_row_ = first_row;
  rows_ = rows;
  logit_rows_.resize(static_cast<std::size_t>(rows));
  launch();
  return {logits_->data(), logits_->stride()};
}

void CudaForward::end_ahead(Pass& pass) {
  taps_.copy_to_host();
  gpu_->device->synchronise();
  taps_.hand_over(pass.observed);
  pass.logits.leave(0, static_cast<int>(model_.head.rows), std::move(logits_));
}

}  // namespace outrider::engine::cuda
