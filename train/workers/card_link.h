#pragma once

#include <ATen/core/Tensor.h>

namespace outrider::train {

/// Carries numbers from a worker's card to another worker's, without the hosts' memory.
class CardLink {
 public:
  virtual ~CardLink() = default;

  /// "nccl"
  virtual const char* name() const = 0;
  /// Gives another worker numbers and takes as many of its own, f32 on the cards.
  /// @throws TryAgain if it has ended or does not answer
  virtual void swap(int other, const at::Tensor& mine, const at::Tensor& theirs) = 0;
};

}  // namespace outrider::train
